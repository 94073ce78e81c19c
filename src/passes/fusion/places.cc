#include "passes/fusion/places.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "passes/fusion/groups.h"

namespace sinter::fusion {

// For which part of its elements it computes its operand k. What an update goes to is known when it
// runs: it is computed for all of them.
static double PartOf(const HloInstruction& i, size_t k) {
  const bool is_part = i.op() == HloOpcode::Concatenate || i.op() == HloOpcode::Pad;
  if (!is_part || i.operand(k)->shape().is_scalar()) return 1;
  return std::min(1., static_cast<double>(i.operand(k)->shape().element_count()) /
                          static_cast<double>(std::max<int64_t>(1, i.shape().element_count())));
}

double SumOfParts(const Places& places) {
  std::vector<double> parts;
  for (const auto& [place, part] : places) parts.push_back(part);
  absl::c_sort(parts);
  return absl::c_accumulate(parts, 0.);
}

bool Shifts(HloOpcode op, size_t k) {
  switch (op) {
    case HloOpcode::Gather:
      return k == 0;
    case HloOpcode::Slice:
    case HloOpcode::Concatenate:
    case HloOpcode::Pad:
    case HloOpcode::Reverse:
    case HloOpcode::DynamicSlice:
    case HloOpcode::DynamicUpdateSlice:
      return true;
    default:
      return false;
  }
}

std::vector<const HloInstruction*> UsersIn(const HloInstruction& value, const Group& group) {
  constexpr size_t kFewUsers = 64;
  std::vector<const HloInstruction*> users;
  if (value.users().size() <= std::max(kFewUsers, group.members.size())) {
    absl::c_copy_if(value.users(), std::back_inserter(users),
                    [&](const HloInstruction* u) { return group.contains(u); });
  } else {
    absl::c_copy_if(group.members, std::back_inserter(users), [&](const HloInstruction* m) {
      return absl::c_linear_search(m->operands(), &value);
    });
  }
  return users;
}

Places PlacesIn(const HloInstruction& producer, const Group& group) {
  if (producer.shape().is_scalar()) return {{0, 1}};
  Places all;
  for (const HloInstruction* u : UsersIn(producer, group)) {
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) != &producer) continue;
      const double part = PartOf(*u, k);
      for (const auto& [place, of] : group.places.at(u))
        all.emplace(Shifts(u->op(), k) ? absl::HashOf(place, u, k) : place, of * part);
    }
  }
  return all;
}

}  // namespace sinter::fusion
