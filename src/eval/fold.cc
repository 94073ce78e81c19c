#include "eval/fold.h"

namespace sinter::eval {

SimpleReducer SimpleReducerOf(const HloComputation& reducer, ElementType t) {
  const HloInstruction& root = *reducer.root();
  const BinaryKernel* kernel = BinaryKernelOf(root.op());
  if (!kernel || reducer.parameters().size() != 2 || root.shape().element_type() != t) return {};
  auto is = [&](size_t operand, size_t parameter) {
    return root.operand(operand) == reducer.parameter(parameter);
  };
  if (is(0, 0) && is(1, 1)) return {kernel, false};
  if (is(0, 1) && is(1, 0)) return {kernel, true};
  return {};
}

Literal Scalar(const Literal& from, int64_t at) {
  Literal x(Shape(from.shape().element_type()));
  CopyStrided({}, from, {at, {}}, x, {});
  return x;
}

FoldOperands::FoldOperands(const Input& in) : in_(in), count_(in.operands.size() / 2) {
  bool same_types = true;
  auto accumulator = [&](size_t i) {
    return in.called(0)->parameter(i % count_)->shape().element_type();
  };
  for (size_t i = 0; i < in.operands.size(); ++i)
    same_types &= in.array(i).shape().element_type() == accumulator(i);
  if (same_types) return;
  for (size_t i = 0; i < in.operands.size(); ++i)
    promoted_.push_back(ConvertTo(in.array(i), accumulator(i)));
}

absl::StatusOr<bool> InitialIsStable(const Input& in, const FoldOperands& operands) {
  std::vector<Value> arguments;
  for (size_t i = 0; i < 2 * operands.inputs(); ++i)
    arguments.push_back(Value::Borrow(operands.initial(i % operands.inputs())));
  ASSIGN_OR_RETURN(Value folded, in.evaluator.Call(in.called(0), std::move(arguments)));
  bool stable = true;
  for (size_t i = 0; i < operands.inputs(); ++i)
    stable &= (folded.is_array() ? folded : folded.tuple()[i]).array() == operands.initial(i);
  return stable;
}

}  // namespace sinter::eval
