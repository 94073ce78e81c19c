#include "passes/buffers/schedule.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "ir/participants.h"
#include "passes/buffers/collective.h"

namespace sinter {
namespace {

struct Place {
  // How many collectives, one after the other, must have ended before it.
  int64_t ends = 0;
  // Whether a collective with as many before it, or itself, is to begin first.
  bool leads = false;
};

}  // namespace

bool BeginsOnly(const HloInstruction& i) {
  return IsAsync(i) && IsExchange(i.op()) && i.op() != HloOpcode::Send &&
         i.op() != HloOpcode::RecvDone && GridOf(*i.parent()->module()).size() > 1;
}

std::vector<HloInstruction*> Scheduled(const HloComputation& c) {
  std::vector<HloInstruction*> order = c.PostOrder();
  if (std::none_of(order.begin(), order.end(),
                   [](const HloInstruction* i) { return BeginsOnly(*i); }))
    return order;
  absl::flat_hash_map<const HloInstruction*, Place> places;
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> acts_after;
  const HloInstruction* acted = nullptr;
  for (const HloInstruction* i : order) {
    Place& place = places[i];
    for (const HloInstruction* x : i->operands())
      place.ends = std::max(place.ends, places.at(x).ends + (BeginsOnly(*x) ? 1 : 0));
    if (!i->HasSideEffect()) continue;
    if (acted != nullptr) {
      place.ends = std::max(place.ends, places.at(acted).ends);
      acts_after[i] = acted;
    }
    acted = i;
  }
  for (size_t n = order.size(); n-- > 0;) {
    const HloInstruction* i = order[n];
    const int64_t ends = places.at(i).ends;
    if (BeginsOnly(*i)) places.at(i).leads = true;
    if (!places.at(i).leads) continue;
    auto lead = [&](const HloInstruction* before) {
      Place& place = places.at(before);
      if (place.ends == ends) place.leads = true;
    };
    for (const HloInstruction* x : i->operands()) lead(x);
    if (const auto before = acts_after.find(i); before != acts_after.end()) lead(before->second);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const HloInstruction* a, const HloInstruction* b) {
                     const Place &x = places.at(a), &y = places.at(b);
                     return std::tuple(x.ends, !x.leads) < std::tuple(y.ends, !y.leads);
                   });
  return order;
}

}  // namespace sinter
