#include "pass/expansion.h"

#include <utility>

#include "base/status.h"

namespace sinter {

std::unique_ptr<Pass> MakeExpansionPass(std::string name, Expansion expand) {
  auto run = [expand = std::move(expand)](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool here = false, effects = false;
      for (HloInstruction* i : c->PostOrder()) {
        const bool has_effect = i->HasSideEffect();
        ASSIGN_OR_RETURN(HloInstruction * result, expand(*c, *i));
        if (result == nullptr) {
          // After the effects that now stand at the end.
          if (has_effect && effects) c->MoveToEnd(i);
          continue;
        }
        c->ReplaceAllUses(i, result);
        if (has_effect) c->Remove(i);
        effects |= has_effect;
        here = true;
      }
      if (here) c->RemoveDead();
      changed |= here;
    }
    if (changed) module.RemoveUnreachable();
    return changed;
  };
  return MakePass(std::move(name), std::move(run));
}

}  // namespace sinter
