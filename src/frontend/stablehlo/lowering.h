// Syntax tree to graph. The functions of the table in ops.cc lower the operations; this class holds
// what they share: values, computations of functions and regions, attributes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/ops.h"
#include "frontend/stablehlo/options.h"
#include "frontend/stablehlo/size_ranges.h"
#include "frontend/stablehlo/source.h"
#include "ir/module.h"

namespace sinter::stablehlo {

// Functions that call functions, this deep. Passes and the interpreter recurse over calls.
inline constexpr size_t kMaxCallDepth = 1000;
// Nested calls unfold to exponentially many instructions, and so do nested loops.
inline constexpr size_t kMostInstructions = size_t{1} << 20;

class Lowering {
 public:
  Lowering(const Source& source, const Program& program, const StablehloOptions& options);

  absl::StatusOr<std::unique_ptr<HloModule>> Run();

  const Source& source() const { return source_; }
  // Errors at an operation: "FILE:LINE:COL: NAME: what".
  template <class... Args>
  absl::Status Invalid(const Operation& op, fmt::format_string<Args...> f, Args&&... args) const {
    return source_.Invalid(op.at, "{}: {}", op.name, Format(f, std::forward<Args>(args)...));
  }
  template <class... Args>
  absl::Status Unsupported(const Operation& op, fmt::format_string<Args...> f,
                           Args&&... args) const {
    return source_.Unsupported(op.at, "{}: {}", op.name, Format(f, std::forward<Args>(args)...));
  }

  const Program& program() const { return program_; }

  // Adds what the operation computes and binds its results.
  absl::Status LowerOperation(const Operation& op);

  // --- values ---
  HloInstruction* Operand(const Operation& op, size_t i) const { return Get(op.operands[i]); }
  std::vector<HloInstruction*> Operands(const Operation& op) const;
  HloInstruction* Get(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  // As the text states it.
  const Shape& Declared(ValueId id) const { return value(id).shape; }
  // As it is in the graph: of what is quantized the stored integers, of what is dynamic the sizes
  // that it has.
  const Shape& ShapeOf(ValueId id) const { return shapes_[static_cast<size_t>(id)]; }
  const Quantization* QuantizationOf(ValueId id) const { return value(id).shape.quantization(); }
  const Shape& ResultShape(const Operation& op, size_t i = 0) const {
    return ShapeOf(op.results[i]);
  }
  // Whether a value of the graph's shape `actual` is one of a result that is declared so.
  static bool IsOfType(const Shape& actual, const Shape& declared) {
    return Fits(actual, declared) || Shape::Compatible(actual, declared);
  }
  absl::Status CheckCounts(const Operation& op, size_t operands, size_t results) const;

  // Adds an instruction; errors of the shape rule are reported at `op`.
  absl::StatusOr<HloInstruction*> Add(const Operation& op, HloOpcode kind,
                                      absl::Span<HloInstruction* const> operands,
                                      sinter::Attributes attributes = NoAttrs{},
                                      absl::Span<HloComputation* const> called = {},
                                      const Shape* declared = nullptr);
  // Adds the instruction that gives the operation's only result, whose shape must be the declared
  // one.
  absl::Status AddResult(const Operation& op, HloOpcode kind,
                         absl::Span<HloInstruction* const> operands,
                         sinter::Attributes attributes = NoAttrs{},
                         absl::Span<HloComputation* const> called = {});
  // As AddResult for any number of results: unless it is one, the instruction gives a tuple of
  // them.
  absl::Status AddResults(const Operation& op, HloOpcode kind,
                          absl::Span<HloInstruction* const> operands, sinter::Attributes attributes,
                          absl::Span<HloComputation* const> called);
  absl::Status SetResult(const Operation& op, HloInstruction* value);
  // Binds results that are used to `value` or, unless there is one, to its elements.
  absl::Status SetResults(const Operation& op, HloInstruction* value);
  // From here on the value is another instruction's, whose shape the caller has checked.
  void Rebind(ValueId id, HloInstruction* value) { Set(id, value); }
  // Binds each result to a value of its own, whose shape must be the declared one.
  absl::Status BindResults(const Operation& op, const std::vector<HloInstruction*>& values);
  // As SetResults where `value` has more elements than the operation has results.
  absl::Status SetFirstResults(const Operation& op, HloInstruction* value);
  // A scalar constant of the given type, broadcast to `shape`.
  absl::StatusOr<HloInstruction*> Splat(const Operation& op, Literal scalar, const Shape& shape);
  // A constant of one element that stands for `shape`, or of the whole.
  absl::StatusOr<HloInstruction*> AddConstant(const Operation& op, const Attribute& elements);

  // --- quantized values (quantized.cc) ---
  // Stored integers as numbers of the expressed type, and back.
  absl::StatusOr<HloInstruction*> Dequantize(const Operation& op, HloInstruction* stored,
                                             const Quantization& q);
  absl::StatusOr<HloInstruction*> Quantize(const Operation& op, HloInstruction* x,
                                           const Quantization& q);
  // Stored integers as those of another quantized type for the same numbers.
  absl::StatusOr<HloInstruction*> Promote(const Operation& op, HloInstruction* stored,
                                          const Quantization& from, const Quantization& to);

  // --- dynamic shapes (dynamic.cc) ---
  std::optional<Literal> ConstantOf(const HloInstruction* i, int depth = 0) const;
  // The integers of an operand that is made of constants, in order; Unimplemented where it is not.
  absl::StatusOr<Dims> RequireSizes(const Operation& op, size_t operand) const;
  // Whether these operands are made of constants.
  bool AreConstant(const Operation& op, size_t first, size_t last) const;
  // The only result has these sizes, which must fit what is declared.
  absl::Status Refine(const Operation& op, const Dims& sizes) { return Refine(op, sizes, nullptr); }
  // ... and what is dynamic in `like`, of the same dimensions, is so in it.
  absl::Status Refine(const Operation& op, const Dims& sizes, const Shape* like);
  // The same of one of several results, which must be an array.
  absl::Status RefineResult(const Operation& op, size_t result, const Dims& sizes,
                            const Shape* like = nullptr);
  // The ranges of sizes.
  SizeRanges& ranges() { return ranges_; }
  // --- bounds that types do not state (bounds.cc) ---
  // The operands, whose dimensions but `except` are as many: where bounds differ, the least of them
  // is all that there can be.
  absl::StatusOr<std::vector<HloInstruction*>> Alike(const Operation& op,
                                                     std::vector<HloInstruction*> operands,
                                                     int64_t except = -1);
  // `x` with the larger of its bounds and others; its sizes stay. Where `x` is static and smaller,
  // its dimension becomes dynamic.
  absl::StatusOr<HloInstruction*> WithBounds(const Operation& op, HloInstruction* x,
                                             const Shape& bounds);
  // `x`, of the same dimensions as `like`, with its sizes.
  absl::StatusOr<HloInstruction*> WithSizesOf(const Operation& op, HloInstruction* x,
                                              HloInstruction* like);
  // Results of branches, where their types leave bounds open, get those that hold for all branches.
  absl::Status JoinBranches(const Operation& op, absl::Span<HloComputation* const> branches);
  struct Loop {
    HloInstruction* state = nullptr;  // at first: what is carried, then what the regions capture
    HloComputation *cond = nullptr, *body = nullptr;
  };
  // The regions of a loop, where types of what is carried leave bounds open for the least bounds
  // that hold at first and after every iteration. Unimplemented where there are none.
  absl::StatusOr<Loop> LowerLoop(const Operation& op, const std::vector<ValueId>& captures);
  // Whether the operation has been replaced by the function that it names. Its callee is one of
  // those whose shapes depend on their arguments.
  absl::StatusOr<bool> InlineDynamic(const Operation& op, std::string_view key);

  // --- computations ---
  HloModule& module() { return *module_; }
  // Computations of functions that the library composes, by their names and operands.
  absl::flat_hash_map<std::string, HloComputation*>& library() { return library_; }
  // The function of that name, or null.
  const Function* FindFunction(std::string_view name) const;
  // Of the function that the attribute names, alone or in a list of one.
  absl::StatusOr<HloComputation*> Callee(const Operation& op, std::string_view key) const;
  // Of all that the list names; none where it is not there.
  absl::StatusOr<std::vector<HloComputation*>> Callees(const Operation& op,
                                                       std::string_view key) const;
  // A computation that takes the region's arguments as parameters of the given shapes.
  absl::StatusOr<HloComputation*> Body(const Operation& op, const Region& region,
                                       std::string_view name);
  // A computation of one parameter: the value of the only id in `bound`, else a tuple of them all.
  // Its results are `region`'s and then those of `passed`, which is ascending. Of values in `bound`
  // that have the values of instructions outside, `origins` has those, of others null.
  absl::StatusOr<HloComputation*> PackedBody(const Operation& op, const Region& region,
                                             std::string_view name,
                                             const std::vector<ValueId>& bound,
                                             const std::vector<ValueId>& passed,
                                             const std::vector<HloInstruction*>& origins);
  // Adds the region's operations here, its arguments standing for the operands, and returns what it
  // returns. Unimplemented where an argument has another shape, as on one of several devices.
  absl::StatusOr<std::vector<HloInstruction*>> InlineRegion(const Operation& op,
                                                            const Region& region);
  // The same with other values for the region's arguments than the operands.
  absl::StatusOr<std::vector<HloInstruction*>> InlineRegion(
      const Operation& op, const Region& region, absl::Span<HloInstruction* const> values);
  // What the regions capture, ascending; constants are not among them, since they are copied.
  std::vector<ValueId> Captures(const Operation& op) const;
  std::vector<ValueId> CapturesOf(const Region& region) const;
  // The value of the only id, else a tuple of all.
  absl::StatusOr<HloInstruction*> Pack(const Operation& op, const std::vector<ValueId>& ids);

  // --- attributes ---
  absl::StatusOr<const Attribute*> Require(const Operation& op, std::string_view key) const;
  absl::StatusOr<Dims> RequireDims(const Operation& op, std::string_view key) const;
  absl::StatusOr<Dims> ToDims(const Operation& op, const Attribute& a) const;
  // The list of that name, if there is one, which may be nested: its integers in order.
  absl::StatusOr<Dims> OptionalDims(const Operation& op, std::string_view key,
                                    Dims otherwise) const;
  // operand_precision of a precision_config.
  absl::Status ReadPrecisions(const Operation& op, Precision* lhs, Precision* rhs) const;
  absl::StatusOr<int64_t> RequireInteger(const Operation& op, std::string_view key) const;
  // The word of #stablehlo<precision HIGH> or of a pretty form: HIGH. Empty where there is none.
  static std::string_view Word(const Attribute& a);

 private:
  class Scope;
  const Value& value(ValueId id) const { return program_.values[static_cast<size_t>(id)]; }
  void Set(ValueId id, HloInstruction* i) {
    values_[static_cast<size_t>(id)] = i;
    if (i) shapes_[static_cast<size_t>(id)] = i->shape();
  }
  static Shape InGraph(const Shape& shape);
  static bool Fits(const Shape& actual, const Shape& declared);
  // Whether `shape` was not yet one that holds for both.
  static bool Join(Shape& shape, const Shape& other, const Shape& declared);
  absl::Status SetRootBounds(const Operation& op, HloComputation* c,
                             const std::vector<Shape>& bounds);
  absl::StatusOr<HloComputation*> FunctionOf(const Operation& op, const Attribute& symbol) const;
  absl::StatusOr<std::vector<const Function*>> CalleesFirst(const Function* entry) const;
  absl::Status LowerFunction(const Function& f, bool is_entry);
  absl::Status LowerOperations(const Region& region);
  void KeepAttributes(const Operation& op, int32_t first);
  bool IsQuantized(const Operation& op) const;
  absl::Status LowerQuantized(const Operation& op, const OpRow& row);
  absl::Status CheckSameQuantization(const Operation& op, const OpRow& row) const;
  // quantized_regions.cc: of operations with computations.
  absl::Status CheckPromotion(const Operation& op, const OpRow& row) const;
  absl::Status LowerPromoted(const Operation& op, const OpRow& row);
  absl::StatusOr<HloInstruction*> PerScale(const Operation& op, const Quantization& q,
                                           const Shape& like, absl::Span<const double> values);
  bool IsDynamic(const Function& f) const;
  absl::Status RefineResults(const Operation& op, const OpRow& row);
  absl::Status RefineToOperands(const Operation& op);
  absl::Status RefineBroadcast(const Operation& op, const OpRow& row);
  absl::Status RefineBitcast(const Operation& op);
  absl::Status RefineReshape(const Operation& op);
  // Where the dimensions of a broadcast's operand are in its result.
  absl::StatusOr<Dims> BroadcastPlaces(const Operation& op, const OpRow& row, int64_t rank,
                                       int64_t result_rank) const;
  absl::Status FoldSizes(const Operation& op);
  // The value of an instruction whose operands are made of constants alone.
  std::optional<Literal> Evaluated(const HloInstruction* i, int depth) const;
  absl::StatusOr<Shape> Inferred(const Operation& op, HloOpcode kind,
                                 absl::Span<HloInstruction* const> operands,
                                 const sinter::Attributes& attributes,
                                 absl::Span<HloComputation* const> called,
                                 const Shape& declared) const;
  absl::StatusOr<HloInstruction*> Bundle(const std::vector<ValueId>& ids);
  void SetAliases(const Function& entry);
  // Of the lowered entry: layouts that it states for arguments and results.
  absl::Status StateLayouts(const Function& entry);
  Metadata MetadataOf(const Operation& op) const;

  const Source& source_;
  const Program& program_;
  std::unique_ptr<HloModule> module_;
  HloComputation* computation_ = nullptr;
  const StablehloOptions& options_;
  bool dynamic_ = false;                 // whether any value is declared with an unknown size
  std::vector<HloInstruction*> values_;  // by ValueId, in the computation being built
  std::vector<Shape> shapes_;            // by ValueId
  std::vector<int64_t> parameters_;      // of the entry's arguments; -1: a constant
  SizeRanges ranges_;
  bool abandoned_ = false;  // whether there are computations that nothing calls
  absl::flat_hash_map<const Function*, HloComputation*> computations_;
  absl::flat_hash_map<std::string, HloComputation*> library_;
};

namespace lower {

// A computation that adds two scalars (lower_reduce.cc).
HloComputation* SumComputation(Lowering& l, ElementType type);

}  // namespace lower
}  // namespace sinter::stablehlo
