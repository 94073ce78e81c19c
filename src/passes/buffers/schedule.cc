#include "passes/buffers/schedule.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/participants.h"
#include "passes/buffers/collective.h"

namespace sinter {
namespace {

// The array of which a value is a view.
const HloInstruction* Viewed(const HloInstruction* i) {
  while (i->op() == HloOpcode::Reshape || i->op() == HloOpcode::BitcastConvert ||
         i->op() == HloOpcode::Slice || i->op() == HloOpcode::OptimizationBarrier)
    i = i->operand(0);
  return i;
}

class ReadersFirst {
 public:
  ReadersFirst(std::vector<HloInstruction*>& order, const ChangedOperands& changed)
      : order_(order) {
    for (size_t n = 0; n < order.size(); ++n) place_[order[n]] = n;
    for (const HloInstruction* i : std::vector<HloInstruction*>(order)) {
      for (const HloInstruction* x : changed(*i)) {
        std::vector<const HloInstruction*> readers;
        AddReaders(Viewed(x), readers);
        for (const HloInstruction* r : readers) {
          const auto place = place_.find(r);
          if (place != place_.end() && place->second > place_.at(i))
            MoveBefore(r, i, x->shape().byte_size());
        }
      }
    }
  }

 private:
  static void AddReaders(const HloInstruction* x, std::vector<const HloInstruction*>& readers) {
    for (const HloInstruction* u : x->users()) {
      if (Viewed(u) == u) {
        if (u->op() != HloOpcode::Tuple) readers.push_back(u);
      } else {
        AddReaders(u, readers);
      }
    }
  }

  // The reader and what it needs that stands after `i`, unless it needs `i`, acts on the world or
  // has more results to keep than the copy would be.
  void MoveBefore(const HloInstruction* reader, const HloInstruction* i, int64_t most_bytes) {
    const size_t at = place_.at(i), end = place_.at(reader);
    absl::flat_hash_set<const HloInstruction*> moved{reader};
    for (size_t n = end + 1; n-- > at;) {
      const HloInstruction* m = order_[n];
      if (!moved.contains(m)) continue;
      if (Viewed(m) == m && !m->shape().is_tuple()) most_bytes -= m->shape().byte_size();
      if (m == i || most_bytes < 0 || m->HasSideEffect()) return;
      moved.insert(m->operands().begin(), m->operands().end());
    }
    std::stable_partition(order_.begin() + static_cast<ptrdiff_t>(at),
                          order_.begin() + static_cast<ptrdiff_t>(end) + 1,
                          [&](const HloInstruction* m) { return moved.contains(m); });
    for (size_t n = at; n <= end; ++n) place_[order_[n]] = n;
  }

  std::vector<HloInstruction*>& order_;
  absl::flat_hash_map<const HloInstruction*, size_t> place_;
};

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

std::vector<HloInstruction*> Scheduled(const HloComputation& c, const ChangedOperands& changed) {
  std::vector<HloInstruction*> order = c.PostOrder();
  if (std::none_of(order.begin(), order.end(),
                   [](const HloInstruction* i) { return BeginsOnly(*i); })) {
    ReadersFirst(order, changed);
    return order;
  }
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
