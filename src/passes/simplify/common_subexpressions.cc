#include "absl/container/flat_hash_map.h"
#include "ir/analysis/equality.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

bool MergeIn(Computation& c) {
  absl::flat_hash_map<uint64_t, std::vector<Instruction*>> seen;
  bool changed = false;
  for (Instruction* i : c.PostOrder()) {
    if (i->op() == Op::Parameter || i->HasSideEffect() || i->shape().is_token()) continue;
    std::vector<Instruction*>& same_hash = seen[HashOf(*i).low];
    Instruction* known = nullptr;
    for (Instruction* other : same_hash) {
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
  return MakePass("common-subexpressions", [](Module& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (Computation* c : module.PostOrder()) changed |= MergeIn(*c);
    return changed;
  });
}

std::unique_ptr<Pass> MakeDeadCodePass() {
  return MakePass("dead-code", [](Module& module) -> absl::StatusOr<bool> {
    int removed = 0;
    for (Computation* c : module.PostOrder()) removed += c->RemoveDead();
    removed += module.RemoveUnreachable();
    return removed > 0;
  });
}

}  // namespace sinter
