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
        ASSIGN_OR_RETURN(HloInstruction * result, expand(*c, *i));
        if (result == nullptr) {
          // After the effects that now stand at the end.
          if (effects && i->HasSideEffect()) c->MoveToEnd(i);
          continue;
        }
        effects = effects || i->HasSideEffect();
        c->ReplaceAllUses(i, result);
        c->Remove(i);  // what has effects would count as needed
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
