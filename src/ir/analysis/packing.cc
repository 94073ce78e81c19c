#include "ir/analysis/packing.h"
#include "target/tuning.h"

namespace sinter {

bool IsWorthPacking(int64_t m, int64_t n, int64_t k) {
  return m >= 5 && n >= 32 && k >= 4 &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >=
             tuning::kLeastPacked;
}

bool IsWorthPacking(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const ElementType t = dot.shape().element_type();
  const Shape &lhs = dot.operand(0)->shape(), &rhs = dot.operand(1)->shape();
  if ((!IsFloat(t) && !IsInteger(t)) || dot.shape().element_count() == 0) return false;
  int64_t k = 1, batch = 1;
  for (int64_t d : a.lhs_contracting_dims) k *= lhs.dimension(d);
  for (int64_t d : a.lhs_batch_dims) batch *= lhs.dimension(d);
  return k > 0 &&
         IsWorthPacking(lhs.element_count() / (k * batch), rhs.element_count() / (k * batch), k);
}

}  // namespace sinter
