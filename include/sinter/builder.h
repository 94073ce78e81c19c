// Builder: records operations on tensors into a computation (the surface of xla::XlaBuilder).
//
//   sinter::Builder b("axpy");
//   sinter::Op a = sinter::Parameter(&b, 0, sinter::Shape(sinter::ElementType::F32), "a");
//   sinter::Op x = sinter::Parameter(&b, 1, sinter::Shape(sinter::ElementType::F32, {4}), "x");
//   sinter::Op y = sinter::Parameter(&b, 2, sinter::Shape(sinter::ElementType::F32, {4}), "y");
//   a * x + y;                                            // the last operation is the result
//   absl::StatusOr<sinter::Computation> axpy = b.Build();
//
// Calls never fail: the first error stays with the builder, with the operation, the shapes of its
// operands and the line of the program, what follows does nothing, and Build() returns it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/accessors.h"
#include "sinter/computation.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/shape.h"

namespace sinter {

class BuilderImpl;
struct ConvolutionDimensionNumbers;

// Where an instruction comes from, for messages, profiles and dumps (xla.OpMetadata).
struct OpMetadata {
  ValueField<std::string> op_name;
  ValueField<std::string> source_file;
  ValueField<int32_t> source_line;

  SINTER_FIELD_SETTER(std::string, op_name, op_name)
  SINTER_FIELD_SETTER(std::string, source_file, source_file)
  SINTER_FIELD_SETTER(int32_t, source_line, source_line)
};

// What a framework notes of operations, in the text of programs and nowhere else
// (xla.FrontendAttributes).
struct FrontendAttributeMap {
  std::map<std::string, std::string> entries;

  const std::map<std::string, std::string>& map() const { return entries; }
  std::map<std::string, std::string>* mutable_map() { return &entries; }
  bool operator==(const FrontendAttributeMap&) const = default;
};

// How a value is spread over devices (xla.OpSharding): a note in the text of programs, which run on
// one device. OTHER: the devices of tile_assignment_devices, in row-major order of the tiles that
// tile_assignment_dimensions counts along each dimension; or 0, 1, ... under the dimensions
// iota_reshape_dims, transposed by iota_transpose_perm. With replicate_on_last_tile_dim those along
// a last dimension of tiles hold the same.
struct OpSharding {
  enum Type { REPLICATED, MAXIMAL, TUPLE, OTHER, MANUAL, UNKNOWN };

  ValueField<Type> type;
  ListField<int64_t> tile_assignment_dimensions, tile_assignment_devices;
  ListField<OpSharding> tuple_shardings;
  ValueField<bool> replicate_on_last_tile_dim;
  ListField<int64_t> iota_reshape_dims;
  ListField<int32_t> iota_transpose_perm;

  SINTER_FIELD_SETTER(Type, type, type)
  SINTER_LIST_ACCESSORS(int64_t, tile_assignment_dimensions, tile_assignment_dimensions)
  SINTER_LIST_ACCESSORS(int64_t, tile_assignment_devices, tile_assignment_devices)
  // Good until the next call.
  OpSharding* add_tuple_shardings() { return &tuple_shardings.emplace_back(); }
  int tuple_shardings_size() const { return static_cast<int>(tuple_shardings.size()); }
  SINTER_FIELD_SETTER(bool, replicate_on_last_tile_dim, replicate_on_last_tile_dim)
  SINTER_LIST_ACCESSORS(int64_t, iota_reshape_dims, iota_reshape_dims)
  SINTER_LIST_ACCESSORS(int32_t, iota_transpose_perm, iota_transpose_perm)

  // HLO text: "{replicated}", "{maximal device=1}", "{devices=[2,1]0,1}", "{{manual}, {unknown}}".
  SINTER_API std::string ToString() const;
};

// Not safe to use from several threads at a time; builders share nothing, so each thread may have
// its own.
class SINTER_API Builder {
 public:
  explicit Builder(std::string name);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  const std::string& name() const;

  // Batch, features, spatial dimensions; of the kernel output features, input features, spatial
  // dimensions: what Conv (sinter/ops.h) takes where none are given.
  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2);
  // InvalidArgument where the numbers of one of the arrays are not different, or not 0, 1, ..., or
  // the arrays have different numbers of spatial dimensions.
  static absl::Status Validate(const ConvolutionDimensionNumbers& numbers);

  // The computation of what has been recorded, whose result is `root`, else the operation recorded
  // last. The builder is then empty and good for another computation; ops recorded before are no
  // longer valid. Parameters must be numbered 0, 1, ... without gaps. Errors: the first error of
  // the calls recorded (InvalidArgument; Unimplemented), and InvalidArgument if nothing was
  // recorded or `root` is not an op of this builder. `remove_dynamic_dimensions` makes dynamic
  // dimensions of static bound static.
  absl::StatusOr<Computation> Build(bool remove_dynamic_dimensions = false);
  absl::StatusOr<Computation> Build(Op root, bool remove_dynamic_dimensions = false);
  // The computation of the id.
  absl::StatusOr<Computation> Build(const ComputationId& entry);
  // For a builder of CreateSubBuilder: an error goes to the parent, and the result is a null
  // computation.
  Computation BuildAndNoteError();
  // Build, as an id for functions that call computations.
  absl::StatusOr<ComputationId> BuildSubComputation(std::optional<Op> root = std::nullopt,
                                                    bool remove_dynamic_dimensions = false);
  // An id for the computation; a null one is an error of the builder, and the id is none.
  ComputationId AddSubComputation(const Computation& computation);
  // The computation, without parameters, of `root`, which must be a constant as IsConstant has it,
  // else InvalidArgument. But sizes of dimensions are constants whatever the operand is computed
  // from: the size or, of a dynamic dimension, its bound, or -1 with
  // `dynamic_dimension_is_minus_one`. What has been recorded stays.
  absl::StatusOr<Computation> BuildConstantSubGraph(Op root,
                                                    bool dynamic_dimension_is_minus_one = false);
  // A builder whose computation is meant for use by this one, which must outlive it.
  std::unique_ptr<Builder> CreateSubBuilder(std::string name);

  // OK, or the error that Build() will return.
  absl::Status first_error() const;
  absl::Status GetCurrentStatus() const { return first_error(); }
  // Makes `error` the builder's, if it is the first, and returns an op that stands for nothing.
  Op ReportError(const absl::Status& error);
  Op ReportErrorOrReturn(const absl::StatusOr<Op>& op);
  template <class F>
  requires std::is_invocable_r_v<absl::StatusOr<Op>, F> Op ReportErrorOrReturn(F&& make) {
    return ReportErrorOrReturn(absl::StatusOr<Op>(make()));
  }

  // Errors: the builder's; InvalidArgument for an op that is not its own. The pointer is good until
  // Build().
  absl::StatusOr<Shape> GetShape(Op op) const;
  absl::StatusOr<const Shape*> GetShapePtr(Op op) const;
  absl::StatusOr<std::vector<Shape>> GetOperandShapes(absl::Span<const Op> operands) const;
  // For people: the op in HLO text, and indented below it what it is computed from, each once and
  // at most 1,000; an error in its place.
  std::string OpToString(Op op) const;
  // Of what Build() would return.
  absl::StatusOr<ProgramShape> GetProgramShape() const;
  absl::StatusOr<ProgramShape> GetProgramShape(Op root) const;
  // Whether the value depends on no parameter and no side effect. Linear in what it is computed
  // from.
  absl::StatusOr<bool> IsConstant(Op op) const;

  // The result's element `output_index` (a path through tuples) takes over the buffer of a
  // parameter's element `param_index`: it may, or with `must` compilation fails where it cannot.
  // Their shapes must agree when Build() runs.
  void SetUpAlias(absl::Span<const int64_t> output_index, int64_t param_number,
                  absl::Span<const int64_t> param_index, bool must = false);

  // A parameter's element may lend its buffer, if that is donated when the program runs, to the
  // first element of the result of the same shape that has none when Build() runs, else of as many
  // bytes. Parameters and results that are arrays, or a tuple of arrays as the result; others lend
  // none.
  void AddBufferDonor(int64_t param_number, absl::Span<const int64_t> param_index);

  // Go to each operation recorded from now on, in the text of the program.
  void SetFrontendAttributes(const FrontendAttributeMap& attributes);
  void ClearFrontendAttributes() { SetFrontendAttributes({}); }
  FrontendAttributeMap SwapFrontendAttributes(const FrontendAttributeMap& attributes);
  const FrontendAttributeMap& frontend_attributes() const;
  void SetSharding(const OpSharding& sharding) { SwapSharding(sharding); }
  void ClearSharding() { SwapSharding(std::nullopt); }
  std::optional<OpSharding> SwapSharding(std::optional<OpSharding> sharding);
  const std::optional<OpSharding>& sharding() const;
  // Of one operation. Errors: the builder's; InvalidArgument for an op that is not its own.
  absl::Status SetInstructionFrontendAttribute(Op op, std::string attribute, std::string value);
  absl::Status SetInstructionSharding(Op op, const std::optional<OpSharding>& sharding);
  absl::StatusOr<std::optional<OpSharding>> GetOpSharding(Op op) const;

  // Goes to each operation recorded from now on. Without it an operation carries the line of the
  // program.
  void SetOpMetadata(OpMetadata metadata);
  void SetOneShotOpMetadata(OpMetadata metadata);
  void ClearOpMetadata();
  std::optional<OpMetadata> SwapOpMetadata(std::optional<OpMetadata> metadata);

  // --- for the library
  explicit Builder(std::unique_ptr<BuilderImpl> impl);
  BuilderImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<BuilderImpl> impl_;
};

// Metadata for the operations recorded while it lives.
class SINTER_API ScopedOpMetadata {
 public:
  ScopedOpMetadata(Builder* builder, OpMetadata metadata);
  ~ScopedOpMetadata();
  ScopedOpMetadata(const ScopedOpMetadata&) = delete;

 private:
  Builder* builder_;
  std::optional<OpMetadata> saved_;
};

// Frontend attributes, a sharding, for the operations recorded while it lives.
class SINTER_API ScopedFrontendAttributes {
 public:
  ScopedFrontendAttributes(Builder* builder, const FrontendAttributeMap& attributes);
  ~ScopedFrontendAttributes();
  ScopedFrontendAttributes(const ScopedFrontendAttributes&) = delete;

 private:
  Builder* builder_;
  FrontendAttributeMap saved_;
};
class SINTER_API ScopedSharding {
 public:
  ScopedSharding(Builder* builder, std::optional<OpSharding> sharding);
  ~ScopedSharding();
  ScopedSharding(const ScopedSharding&) = delete;

 private:
  Builder* builder_;
  std::optional<OpSharding> saved_;
};

}  // namespace sinter

#include "sinter/ops.h"  // IWYU pragma: export
