#include "passes/expand/results.h"

namespace sinter {
namespace {

// The users are asked for before the elements are added, which are users too.
bool Expand(HloComputation& c, HloInstruction* i) {
  std::vector<HloInstruction*> users;
  for (HloInstruction* u : i->users()) {
    if (u->op() != HloOpcode::GetTupleElement) users.push_back(u);
  }
  if (users.empty() && c.root() != i) return false;
  std::vector<HloInstruction*> elements;
  for (const Shape& shape : i->shape().tuple_shapes()) {
    const TupleElementAttrs index{static_cast<int64_t>(elements.size())};
    elements.push_back(c.AddWithShape(HloOpcode::GetTupleElement, shape, {i}, index));
  }
  HloInstruction* tuple = c.AddWithShape(HloOpcode::Tuple, i->shape(), elements);
  for (HloInstruction* u : users) {
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) == i) u->ReplaceOperand(k, tuple);
    }
  }
  if (c.root() == i) c.set_root(tuple);
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandResultsPass() {
  return MakePass("expand-results", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      for (HloInstruction* i : c->PostOrder()) {
        const bool several = i->op() == HloOpcode::Reduce || i->op() == HloOpcode::Scatter;
        if (several && i->shape().is_tuple()) changed |= Expand(*c, i);
      }
    }
    return changed;
  });
}

}  // namespace sinter
