#include "passes/expand/scatter.h"

#include <algorithm>

namespace sinter {
namespace {

HloInstruction* Converted(HloComputation& c, HloInstruction* x, ElementType t) {
  if (x->shape().element_type() == t) return x;
  Shape shape = x->shape();
  shape.set_element_type(t);
  return c.AddWithShape(HloOpcode::Convert, shape, {x});
}

bool HasOtherUsersThanElements(const HloComputation& c, const HloInstruction& i) {
  return c.root() == &i ||
         std::any_of(i.users().begin(), i.users().end(),
                     [](const HloInstruction* u) { return u->op() != HloOpcode::GetTupleElement; });
}

bool Expand(HloComputation& c, HloInstruction* scatter) {
  const size_t n = scatter->operands().size() / 2;
  std::vector<HloInstruction*> operands = scatter->operands();
  const HloComputation& computation = *scatter->called(0);
  for (size_t k = 0; k < n; ++k) {
    const ElementType t = computation.parameter(k)->shape().element_type();
    operands[k] = Converted(c, operands[k], t);
    operands[n + 1 + k] = Converted(c, operands[n + 1 + k], t);
  }
  const bool idle =
      operands[n + 1]->shape().element_count() == 0 || operands[0]->shape().element_count() == 0;
  const bool same = operands == scatter->operands();
  const bool tuple = scatter->shape().is_tuple();
  if (same && !idle && !(tuple && HasOtherUsersThanElements(c, *scatter))) return false;
  HloInstruction* result = scatter;
  if (!same && !idle) {
    result = c.AddWithShape(HloOpcode::Scatter, scatter->shape(), operands, scatter->attributes(),
                            scatter->called());
    result->set_metadata(scatter->metadata());
  }
  if (!tuple) {
    c.ReplaceAllUses(scatter, idle ? operands[0] : result);
    return true;
  }
  std::vector<HloInstruction*> elements;
  for (size_t k = 0; k < n; ++k) {
    elements.push_back(idle ? operands[k]
                            : c.AddWithShape(HloOpcode::GetTupleElement,
                                             scatter->shape().tuple_shapes()[k], {result},
                                             TupleElementAttrs{static_cast<int64_t>(k)}));
  }
  const std::vector<HloInstruction*> users = scatter->users();
  for (HloInstruction* u : users) {
    if (u->op() != HloOpcode::GetTupleElement) continue;
    auto k = static_cast<size_t>(u->attrs<TupleElementAttrs>().index);
    if (u != elements[k]) c.ReplaceAllUses(u, elements[k]);
  }
  if (!HasOtherUsersThanElements(c, *scatter)) return true;
  // ReplaceAllUses would also change the new elements.
  HloInstruction* packed = c.AddWithShape(HloOpcode::Tuple, scatter->shape(), elements);
  for (HloInstruction* u : users) {
    if (u->op() == HloOpcode::GetTupleElement) continue;
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) == scatter) u->ReplaceOperand(k, packed);
    }
  }
  if (c.root() == scatter) c.set_root(packed);
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandScatterPass() {
  return MakePass("expand-scatter", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool here = false;
      for (HloInstruction* i : c->PostOrder()) {
        if (i->op() == HloOpcode::Scatter) here |= Expand(*c, i);
      }
      if (here) c->RemoveDead();
      changed |= here;
    }
    return changed;
  });
}

}  // namespace sinter
