// Custom calls: checks, decompositions, and targets that the process has registered.
#include "eval/custom_call.h"

#include <cstring>

#include "base/status.h"
#include "eval/decompositions.h"
#include "eval/functions.h"
#include "ir/custom_call_aliases.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "sinter/testing.h"
#include "types/layout_copy.h"
#include "types/leaves.h"
#include "types/packing.h"

namespace sinter::eval {
namespace {

// The arrays of a value as buffers that a target takes: those whose elements share bytes are
// copies, which must be there as long as the pointers are used.
class TargetBuffers {
 public:
  void Add(Literal& value) {
    std::vector<Literal*> leaves;
    AppendLeaves(value, leaves);
    for (Literal* leaf : leaves) AddArray(*leaf);
  }
  absl::Span<void* const> pointers() const { return pointers_; }
  // Writes the copies back.
  void Unpack() {
    for (const Packed& copy : packed_) {
      const Shape& shape = copy.literal->shape();
      UnpackElements(shape.element_type(), copy.bytes.data(), shape.element_count(),
                     copy.literal->untyped_data());
    }
  }

 private:
  struct Packed {
    Literal* literal;
    std::vector<uint8_t> bytes;
  };
  void AddArray(Literal& literal) {
    const Shape& shape = literal.shape();
    if (ElementsPerByte(shape.element_type()) == 1) {
      pointers_.push_back(literal.untyped_data());
      return;
    }
    Packed& copy = packed_.emplace_back();
    copy.literal = &literal;
    copy.bytes.resize(static_cast<size_t>(shape.packed_byte_size()));
    PackElements(shape.element_type(), literal.untyped_data(), shape.element_count(),
                 copy.bytes.data());
    pointers_.push_back(copy.bytes.data());
  }

  std::vector<Packed> packed_;
  std::vector<void*> pointers_;
};

enum class To { kMemory, kRowMajor };

// From row-major arrays to their order in memory, that of `shape`, or back (custom_call_layouts.h).
Literal Moved(Literal x, const Shape& shape, To to) {
  if (!HasLayout(shape)) return x;
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (Literal& e : x.mutable_tuple())
      elements.push_back(Moved(std::move(e), shape.tuple_shapes()[elements.size()], to));
    return Literal::Tuple(std::move(elements));
  }
  Literal moved(to == To::kMemory ? InMemory(shape) : RowMajor(shape));
  (to == To::kMemory ? CopyFromRowMajor : CopyToRowMajor)(shape, x.untyped_data(),
                                                          moved.untyped_data());
  return moved;
}

}  // namespace

absl::StatusOr<Literal> CallTarget(const HloInstruction& i, std::vector<Literal> operands,
                                   const CustomCallTargets& targets) {
  const auto& attrs = i.attrs<CustomCallAttrs>();
  absl::Span<const Dims> layouts = attrs.layouts.operands;
  for (Literal& x : operands) {
    const Shape taken_shape = InLayouts(x.shape(), layouts);
    x = Moved(std::move(x), taken_shape, To::kMemory);
  }
  layouts = attrs.layouts.results;
  const Shape given_shape = InLayouts(i.shape(), layouts);
  Literal result(InMemory(given_shape));
  std::vector<Shape> operand_shapes, result_shapes;
  TargetBuffers taken, given;
  for (Literal& operand : operands) {
    AppendLeaves(operand.shape(), operand_shapes);
    taken.Add(operand);
  }
  AppendLeaves(result.shape(), result_shapes);
  given.Add(result);
  std::vector<void*> pointers(taken.pointers().begin(), taken.pointers().end());
  pointers.insert(pointers.end(), given.pointers().begin(), given.pointers().end());
  for (const LeafAlias& a : LeafAliases(i)) {
    void*& operand = pointers[a.operand];
    void* const shared = given.pointers()[a.result];
    std::memcpy(shared, operand, static_cast<size_t>(operand_shapes[a.operand].packed_byte_size()));
    operand = shared;
  }
  ASSIGN_OR_RETURN(ReadyCustomCall call,
                   ReadyCustomCall::Make(targets, attrs.custom_call_target, "Host", attrs.opaque,
                                         std::move(operand_shapes), std::move(result_shapes),
                                         i.shape().is_tuple()));
  RETURN_IF_ERROR(call.Call(pointers, /*stream=*/nullptr, CallingRun()));
  given.Unpack();
  return Moved(std::move(result), given_shape, To::kRowMajor);
}

absl::StatusOr<Value> CustomCall(const Input& in) {
  std::vector<Literal> operands;
  for (const Value& v : in.operands) operands.push_back(v.ToLiteral());
  const auto& attrs = in.instruction.attrs<CustomCallAttrs>();
  if (in.evaluator.options().custom_call) {
    ASSIGN_OR_RETURN(std::optional<Literal> result,
                     in.evaluator.options().custom_call(in.instruction, operands));
    if (result && !Shape::Compatible(result->shape(), in.shape())) {
      return Internal("custom call '{}' returned {} instead of {}", attrs.custom_call_target,
                      result->shape().ToString(), in.shape().ToString());
    }
    if (result) return Value(std::make_shared<const Literal>(*std::move(result)));
  }
  ASSIGN_OR_RETURN(std::optional<DecompositionCall> decomposition,
                   ReadDecompositionCall(in.instruction));
  if (decomposition) return Decompose(in, *decomposition);
  if (!IsCheck(attrs.custom_call_target)) {
    ASSIGN_OR_RETURN(Literal result, CallTarget(in.instruction, std::move(operands), {}));
    return Value(std::make_shared<const Literal>(std::move(result)));
  }
  absl::Status status = RunCheck(attrs.custom_call_target, attrs.opaque, operands, CheckRules{});
  if (!status.ok()) return Annotate(status, in.instruction.name());
  return Value(std::make_shared<const Literal>(Literal(in.shape())));
}

}  // namespace sinter::eval
