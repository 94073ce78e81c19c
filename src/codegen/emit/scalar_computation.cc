#include "codegen/emit/scalar_computation.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "ir/analysis/scalar_computation.h"

namespace sinter::emit {

absl::StatusOr<std::vector<Parts>> EvalScalarComputation(kernel::Builder& b,
                                                         const HloComputation& computation,
                                                         absl::Span<const Parts> arguments,
                                                         bool widen, const AnyOf& any) {
  auto type_of = [&](const Shape& s) {
    const ElementType t = s.element_type();
    return widen && (t == ElementType::BF16 || t == ElementType::F16) ? ElementType::F32 : t;
  };
  std::vector<size_t> first{0};  // of each parameter's leaves among the arguments
  for (const HloInstruction* p : computation.parameters()) {
    first.push_back(first.back() + (p->shape().is_tuple() ? p->shape().tuple_shapes().size() : 1));
  }
  absl::flat_hash_map<const HloInstruction*, Parts> values;
  for (const HloInstruction* i : computation.PostOrder()) {
    if (i->op() == HloOpcode::Parameter) {
      if (!i->shape().is_tuple())
        values[i] = arguments[first[static_cast<size_t>(i->attrs<ParameterAttrs>().number)]];
    } else if (i->op() == HloOpcode::GetTupleElement &&
               i->operand(0)->op() == HloOpcode::Parameter) {
      const size_t number = static_cast<size_t>(i->operand(0)->attrs<ParameterAttrs>().number);
      values[i] =
          arguments[first[number] + static_cast<size_t>(i->attrs<TupleElementAttrs>().index)];
    } else if (i->op() == HloOpcode::Constant) {
      values[i] = EmitConvert(b, EmitScalarConstant(b, i->literal()), i->shape().element_type(),
                              type_of(i->shape()));
    } else if (i->op() == HloOpcode::Tuple) {
      continue;
    } else if (i->op() == HloOpcode::Reduce && any != nullptr) {
      const kernel::Value p = values[i->operand(0)].re;
      const bool by_or = CombinerOf(*i->called(0), 1, 0)->op() == HloOpcode::Or;
      auto flip = [&](kernel::Value v) {
        return b.Binary(kernel::OpCode::kXor, v, b.ConstInt(ElementType::PRED, 1));
      };
      values[i] = Parts{by_or ? any(p) : flip(any(flip(p)))};
    } else if (IsElementwise(i->op())) {
      absl::InlinedVector<Parts, 3> x;
      for (const HloInstruction* o : i->operands()) x.push_back(values[o]);
      const size_t data = i->op() == HloOpcode::Select || i->op() == HloOpcode::Clamp ? 1 : 0;
      ASSIGN_OR_RETURN(values[i], EmitElementwise(b, *i, x, type_of(i->operand(data)->shape()),
                                                  type_of(i->shape())));
    } else if (IsElementwiseBitcast(*i)) {
      // Of the bits that the types themselves have.
      const Shape &from = i->operand(0)->shape(), &to = i->shape();
      const Parts x = EmitConvert(b, values[i->operand(0)], type_of(from), from.element_type());
      values[i] =
          EmitConvert(b, {b.Bitcast(x.re, to.element_type())}, to.element_type(), type_of(to));
    } else if ((i->op() == HloOpcode::Broadcast || i->op() == HloOpcode::Reshape ||
                i->op() == HloOpcode::OptimizationBarrier) &&
               (i->shape().is_scalar() || i->operand(0)->shape().is_scalar() ||
                i->op() == HloOpcode::OptimizationBarrier)) {
      const Parts x = values[i->operand(0)];  // the table may grow
      values[i] = x;
    } else {
      return Unimplemented("{} inside a computation of scalars has no code for compiled devices",
                           Name(i->op()));
    }
  }
  const HloInstruction* root = computation.root();
  if (!root->shape().is_tuple()) return std::vector<Parts>{values[root]};
  if (root->op() == HloOpcode::Parameter)
    return std::vector<Parts>(arguments.begin(), arguments.end());
  std::vector<Parts> results;
  for (const HloInstruction* o : root->operands()) results.push_back(values[o]);
  return results;
}

}  // namespace sinter::emit
