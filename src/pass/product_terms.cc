#include "pass/product_terms.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "ir/ops/ragged_dot.h"

namespace sinter {

Dims TermsOfResult(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const int64_t left = dot.operand(0)->shape().rank(), right = dot.operand(1)->shape().rank();
  Dims names = a.lhs_batch_dims;
  for (int64_t d : FreeDims(left, {&a.lhs_batch_dims, &a.lhs_contracting_dims})) names.push_back(d);
  for (int64_t d : FreeDims(right, {&a.rhs_batch_dims, &a.rhs_contracting_dims}))
    names.push_back(left + d);
  return names;
}

HloInstruction* ProductTerms(Graph& g, const HloInstruction& dot, const Dims& order) {
  const auto& a = dot.attrs<DotAttrs>();
  const ElementType type = dot.shape().element_type(),
                    wide = IsFloat(type) && BitWidth(type) < 32 ? ElementType::F32 : type;
  const Shape &left = dot.operand(0)->shape(), &right = dot.operand(1)->shape();
  for (const HloInstruction* x : dot.operands()) {
    const ElementType from = x->shape().element_type();
    const bool widens =
        from == wide || (BitWidth(from) < BitWidth(wide) && ((IsInteger(from) && IsInteger(wide)) ||
                                                             (IsFloat(from) && IsFloat(wide))));
    if (!widens || x->op() == HloOpcode::Windows) return nullptr;
  }
  // By dimension of the right operand, its name; -1 of a free one.
  Dims shared(static_cast<size_t>(right.rank()), -1);
  for (const auto& [of_left, of_right] :
       {std::pair(&a.lhs_batch_dims, &a.rhs_batch_dims),
        std::pair(&a.lhs_contracting_dims, &a.rhs_contracting_dims)}) {
    for (size_t k = 0; k < of_left->size(); ++k)
      shared[static_cast<size_t>((*of_right)[k])] = (*of_left)[k];
  }
  Dims sizes;
  for (int64_t d : order)
    sizes.push_back(d < left.rank() ? left.dimension(d) : right.dimension(d - left.rank()));
  HloInstruction* factors[2];
  for (size_t side : {0, 1}) {
    HloInstruction* x = dot.operand(side);
    Dims kept, to;
    for (int64_t d = 0; d < x->shape().rank(); ++d) {
      int64_t name = d;
      if (side == 1) {
        name = shared[static_cast<size_t>(d)];
        if (name < 0) name = left.rank() + d;
      }
      const auto at = absl::c_find(order, name);
      if (at == order.end()) continue;
      kept.push_back(x->shape().dimension(d));
      to.push_back(at - order.begin());
    }
    factors[side] = g.Broadcast(g.Convert(g.Reshape(x, kept), wide), sizes, to);
  }
  return g.Add(HloOpcode::Multiply, {factors[0], factors[1]});
}

}  // namespace sinter
