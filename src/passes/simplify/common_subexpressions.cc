#include "absl/container/flat_hash_map.h"
#include "ir/analysis/equality.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

bool MergeIn(HloComputation& c) {
  absl::flat_hash_map<uint64_t, std::vector<HloInstruction*>> seen;
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->op() == HloOpcode::Parameter || i->HasSideEffect() || i->shape().is_token()) continue;
    std::vector<HloInstruction*>& same_hash = seen[HashOf(*i).low];
    HloInstruction* known = nullptr;
    for (HloInstruction* other : same_hash) {
      if (SameInstruction(*i, *other)) known = other;
    }
    if (known == nullptr) {
      same_hash.push_back(i);
      continue;
    }
    c.ReplaceAllUses(i, known);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeCommonSubexpressionsPass() {
  return MakePass("common-subexpressions", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= MergeIn(*c);
    return changed;
  });
}

std::unique_ptr<Pass> MakeDeadCodePass() {
  return MakePass("dead-code", [](HloModule& module) -> absl::StatusOr<bool> {
    int removed = 0;
    for (HloComputation* c : module.PostOrder()) removed += c->RemoveDead();
    removed += module.RemoveUnreachable();
    return removed > 0;
  });
}

}  // namespace sinter
