#include "passes/expand/results.h"

#include "ir/analysis/scalar_computation.h"

namespace sinter {
namespace {

// Whether the instruction's code gives its results one by one: a loop over scalars runs inside a
// kernel, other loops are steps of the program.
bool GivesElements(const HloInstruction& i) {
  if (!i.shape().is_tuple()) return false;
  return i.op() == HloOpcode::Reduce || i.op() == HloOpcode::ReduceWindow ||
         i.op() == HloOpcode::Scatter || IsScalarLoop(i);
}

// Elements that something reads already are not made again.
bool ReadByElements(HloComputation& c, HloInstruction* i) {
  std::vector<HloInstruction*> users;
  std::vector<HloInstruction*> elements(i->shape().tuple_shapes().size());
  for (HloInstruction* u : i->users()) {
    if (u->op() == HloOpcode::GetTupleElement) {
      elements[static_cast<size_t>(u->attrs<TupleElementAttrs>().index)] = u;
    } else {
      users.push_back(u);
    }
  }
  if (users.empty() && c.root() != i) return false;
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k] != nullptr) continue;
    const TupleElementAttrs index{static_cast<int64_t>(k)};
    elements[k] =
        c.AddWithShape(HloOpcode::GetTupleElement, i->shape().tuple_shapes()[k], {i}, index);
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

// A kernel takes the elements of its loop's initial state. Where other instructions use the tuple
// too, the loop gets one of its own.
bool OwnInitialState(HloComputation& c, HloInstruction* loop) {
  HloInstruction* state = loop->operand(0);
  if (state->users().size() == 1 && c.root() != state) return false;
  loop->ReplaceOperand(0, c.AddWithShape(HloOpcode::Tuple, state->shape(), state->operands()));
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandResultsPass() {
  return MakePass("expand-results", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      for (HloInstruction* i : c->PostOrder()) {
        if (GivesElements(*i)) changed |= ReadByElements(*c, i);
        if (IsScalarLoop(*i) || IsElementwiseLoop(*i)) changed |= OwnInitialState(*c, i);
      }
    }
    return changed;
  });
}

}  // namespace sinter
