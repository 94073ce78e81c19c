#include "ir/analysis/op_cost.h"

#include "ir/analysis/scalar_computation.h"

namespace sinter {

double OpCost(const HloInstruction& i) {
  // Of a region: elements or scalars that run it.
  if (i.op() == HloOpcode::While && IsScalarLoop(i)) return 1;
  const ElementType t = i.shape().is_array() ? i.shape().element_type() : ElementType::F32;
  const Work& work = Info(i.op()).work;
  const int additions = IsComplex(t)   ? work.of_complexes
                        : IsInteger(t) ? work.of_integers
                                       : work.of_floats;
  return work.by_width && ByteWidth(t) >= 8 ? 2 * additions : additions;
}

}  // namespace sinter
