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
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/computation.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/shape.h"

namespace sinter {

class BuilderImpl;
struct ConvolutionDimensionNumbers;

// Where an instruction comes from, for messages, profiles and dumps (xla.OpMetadata).
struct OpMetadata {
  std::string op_name;
  std::string source_file;
  int32_t source_line = 0;

  void set_op_name(std::string name) { op_name = std::move(name); }
  void set_source_file(std::string file) { source_file = std::move(file); }
  void set_source_line(int32_t line) { source_line = line; }
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

  // The computation of what has been recorded, whose result is `root`, else the operation recorded
  // last. The builder is then empty and good for another computation; ops recorded before are no
  // longer valid. Parameters must be numbered 0, 1, ... without gaps. Errors: the first error of
  // the calls recorded (InvalidArgument; Unimplemented), and InvalidArgument if nothing was
  // recorded or `root` is not an op of this builder. `remove_dynamic_dimensions` makes dynamic
  // dimensions of static bound static.
  absl::StatusOr<Computation> Build(bool remove_dynamic_dimensions = false);
  absl::StatusOr<Computation> Build(Op root, bool remove_dynamic_dimensions = false);
  // For a builder of CreateSubBuilder: an error goes to the parent, and the result is a null
  // computation.
  Computation BuildAndNoteError();
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

}  // namespace sinter

#include "sinter/ops.h"  // IWYU pragma: export
