// Groups of operations that are connected by arrays of small rows are replaced as a whole; where
// they begin, parts are slices of arrays, and where they end, arrays are concatenated of parts.
#include "passes/layout/scalar_replacement.h"

#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "passes/layout/part_writer.h"
#include "passes/layout/split_array.h"
#include "passes/layout/split_groups.h"

namespace sinter {
namespace {

using layout::CanSplit;
using layout::PartWriter;
using layout::SplitArray;
using layout::SplitGroups;

// Small arrays without long dimensions that are computed of constants.
absl::flat_hash_set<const HloInstruction*> Known(const std::vector<HloInstruction*>& order) {
  absl::flat_hash_set<const HloInstruction*> known;
  for (const HloInstruction* i : order) {
    const auto split = SplitArray::Of(*i);
    if (!split || !split->part.empty()) continue;
    if (i->op() == HloOpcode::Constant ||
        (CanSplit(*i) &&
         absl::c_all_of(i->operands(), [&](const HloInstruction* o) { return known.contains(o); })))
      known.insert(i);
  }
  return known;
}

bool ReplaceIn(HloComputation& c) {
  const std::vector<HloInstruction*> order = c.PostOrder();
  SplitGroups groups(order);
  if (absl::c_none_of(order, [&](const HloInstruction* i) { return groups.Replaces(i); }))
    return false;
  // Of what is known, what the groups need: users come before their operands.
  const absl::flat_hash_set<const HloInstruction*> known = Known(order);
  absl::flat_hash_set<const HloInstruction*> needed;
  for (size_t k = order.size(); k-- > 0;) {
    const HloInstruction* i = order[k];
    if (!groups.Replaces(i) && !needed.contains(i)) continue;
    for (const HloInstruction* o : i->operands())
      if (known.contains(o)) needed.insert(o);
  }
  PartWriter writer(c);
  std::vector<HloInstruction*> leaving;
  for (HloInstruction* i : order) {
    const bool replaced = groups.Replaces(i);
    if (replaced || needed.contains(i)) writer.Write(i);
    if (replaced && (i == c.root() || absl::c_any_of(i->users(), [&](const HloInstruction* u) {
                       return !groups.Replaces(u);
                     })))
      leaving.push_back(i);
  }
  std::vector<HloInstruction*> arrays;
  for (HloInstruction* i : leaving) arrays.push_back(writer.Assembled(i));
  for (size_t k = 0; k < leaving.size(); ++k) c.ReplaceAllUses(leaving[k], arrays[k]);
  c.RemoveDead();
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeScalarReplacementPass() {
  return MakePass("scalar-replacement", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= ReplaceIn(*c);
    return changed;
  });
}

}  // namespace sinter
