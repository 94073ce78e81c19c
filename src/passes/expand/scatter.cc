#include "passes/expand/scatter.h"

#include "pass/expansion.h"

namespace sinter {
namespace {

HloInstruction* Converted(HloComputation& c, HloInstruction* x, ElementType t) {
  if (x->shape().element_type() == t) return x;
  Shape shape = x->shape();
  shape.set_element_type(t);
  return c.AddWithShape(HloOpcode::Convert, shape, {x});
}

absl::StatusOr<HloInstruction*> ExpandScatter(HloComputation& c, HloInstruction& i) {
  if (i.op() != HloOpcode::Scatter) return nullptr;
  const size_t n = i.operands().size() / 2;
  std::vector<HloInstruction*> operands = i.operands();
  for (size_t k = 0; k < n; ++k) {
    const ElementType t = i.called(0)->parameter(k)->shape().element_type();
    operands[k] = Converted(c, operands[k], t);
    operands[n + 1 + k] = Converted(c, operands[n + 1 + k], t);
  }
  if (operands[n + 1]->shape().element_count() == 0 || operands[0]->shape().element_count() == 0) {
    if (!i.shape().is_tuple()) return operands[0];
    operands.resize(n);
    return c.AddWithShape(HloOpcode::Tuple, i.shape(), operands);
  }
  if (operands == i.operands()) return nullptr;
  HloInstruction* converted =
      c.AddWithShape(HloOpcode::Scatter, i.shape(), operands, i.attributes(), i.called());
  converted->set_metadata(i.metadata());
  return converted;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandScatterPass() {
  return MakeExpansionPass("expand-scatter", ExpandScatter);
}

}  // namespace sinter
