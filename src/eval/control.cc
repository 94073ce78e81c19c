// Operations that pass values on, and those that call computations.
#include <algorithm>

#include "base/status.h"
#include "custom_call/call.h"
#include "eval/decompositions.h"
#include "eval/functions.h"
#include "sinter/testing.h"

namespace sinter::eval {

absl::StatusOr<Value> Constant(const Input& in) {
  return Value(in.instruction.attrs<ConstantAttrs>().value);
}

absl::StatusOr<Value> Tuple(const Input& in) {
  return Value(std::vector<Value>(std::make_move_iterator(in.operands.begin()),
                                  std::make_move_iterator(in.operands.end())));
}

absl::StatusOr<Value> GetTupleElement(const Input& in) {
  auto index = static_cast<size_t>(in.instruction.attrs<TupleElementAttrs>().index);
  return in.operands[0].tuple()[index];
}

absl::StatusOr<Value> Identity(const Input& in) { return std::move(in.operands[0]); }

absl::StatusOr<Value> AfterAll(const Input&) { return Value(Literal(Shape::Token())); }

absl::StatusOr<Value> Unreachable(const Input& in) {
  return Internal("'{}' has no function in the interpreter", in.instruction.name());
}

absl::StatusOr<Value> Call(const Input& in) {
  return in.evaluator.Call(in.called(0), {std::make_move_iterator(in.operands.begin()),
                                          std::make_move_iterator(in.operands.end())});
}

// The computation for each element, on scalars.
absl::StatusOr<Value> Map(const Input& in) {
  Literal result = NewResult(in);
  for (int64_t i = 0; i < result.shape().element_count(); ++i) {
    std::vector<Value> arguments;
    for (size_t k = 0; k < in.operands.size(); ++k) {
      Literal scalar(Shape(in.array(k).shape().element_type()));
      CopyStrided({}, in.array(k), {i, {}}, scalar, {});
      arguments.emplace_back(std::move(scalar));
    }
    ASSIGN_OR_RETURN(Value element, in.evaluator.Call(in.called(0), std::move(arguments)));
    CopyStrided({}, element.array(), {}, result, {i, {}});
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> While(const Input& in) {
  Value state = std::move(in.operands[0]);
  for (;;) {
    ASSIGN_OR_RETURN(Value condition, in.evaluator.Call(in.called(0), {state}));
    if (!LoadOne<bool>(condition.array())) return state;
    std::vector<Value> arguments;
    arguments.push_back(std::move(state));
    ASSIGN_OR_RETURN(state, in.evaluator.Call(in.called(1), std::move(arguments)));
  }
}

// Branch i takes operand i+1. A predicate takes the first branch if true; an index outside the
// branches takes the last.
absl::StatusOr<Value> Conditional(const Input& in) {
  const Literal& which = in.array(0);
  auto last = static_cast<int64_t>(in.instruction.called().size()) - 1;
  int64_t branch;
  if (IsPredicate(which.shape().element_type())) {
    branch = LoadOne<bool>(which) ? 0 : 1;
  } else {
    branch = LoadIndex(which);
    if (branch < 0 || branch > last) branch = last;
  }
  auto at = static_cast<size_t>(branch);
  std::vector<Value> arguments;
  arguments.push_back(std::move(in.operands[at + 1]));
  return in.evaluator.Call(in.called(at), std::move(arguments));
}

namespace {

void AddShapes(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(shape);
    leaves.back().set_minor_to_major({});  // literals are row-major
    return;
  }
  for (const Shape& s : shape.tuple_shapes()) AddShapes(s, leaves);
}
void AddPointers(Literal& literal, std::vector<void*>& pointers) {
  if (!literal.shape().is_tuple()) {
    pointers.push_back(literal.untyped_data());
    return;
  }
  for (Literal& element : literal.mutable_tuple()) AddPointers(element, pointers);
}

// A target that the process has registered for the host.
absl::StatusOr<Value> CallHost(const Input& in, std::vector<Literal>& operands) {
  const auto& attrs = in.instruction.attrs<CustomCallAttrs>();
  Literal result(in.shape());
  std::vector<Shape> operand_shapes, result_shapes;
  std::vector<void*> pointers;
  for (Literal& operand : operands) {
    AddShapes(operand.shape(), operand_shapes);
    AddPointers(operand, pointers);
  }
  AddShapes(result.shape(), result_shapes);
  AddPointers(result, pointers);
  ASSIGN_OR_RETURN(ReadyCustomCall call,
                   ReadyCustomCall::Make(nullptr, attrs.custom_call_target, "Host", attrs.opaque,
                                         std::move(operand_shapes), std::move(result_shapes),
                                         in.shape().is_tuple()));
  RETURN_IF_ERROR(call.Call(pointers, /*stream=*/nullptr));
  return Value(std::make_shared<const Literal>(std::move(result)));
}

}  // namespace

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
    return CallHost(in, operands);
  }
  absl::Status status = RunCheck(attrs.custom_call_target, attrs.opaque, operands, CheckRules{});
  if (!status.ok()) return Annotate(status, in.instruction.name());
  return Value(std::make_shared<const Literal>(Literal(in.shape())));
}

}  // namespace sinter::eval
