#include "passes/simplify/rules.h"

namespace sinter {
namespace {

bool ApplyIn(HloComputation& c, Rule rule) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->users().empty() && i != c.root()) continue;
    HloInstruction* with = rule(c, i);
    if (with == nullptr || with == i || with->shape().dimensions() != i->shape().dimensions() ||
        with->shape().element_type() != i->shape().element_type()) {
      continue;
    }
    c.ReplaceAllUses(i, with);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeRulesPass(std::string name, Rule rule) {
  return MakePass(std::move(name), [rule](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      while (ApplyIn(*c, rule)) changed = true;
    }
    return changed;
  });
}

}  // namespace sinter
