#include "passes/fusion/places.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "ir/analysis/op_cost.h"
#include "passes/fusion/groups.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::fusion {

namespace {

// Whether a plan cuts the outputs where the dimension's coordinate passes from one operand to
// another: it follows one of their axes. Else vectors compute all operands and choose.
bool IsCut(const Accesses& accesses, size_t dimension) {
  return absl::c_all_of(accesses, [&](const Access& a) {
    const AxisSet& axes = a[dimension];
    return axes.size() == 1 && axes[0].first < kInner && std::abs(axes[0].second) == 1;
  });
}

bool IsCut(const HloInstruction& i, const Accesses& accesses) {
  if (i.op() == HloOpcode::Concatenate)
    return IsCut(accesses, static_cast<size_t>(i.dimensions()[0]));
  const auto& pad = i.attrs<PadAttrs>();
  for (size_t d = 0; d < pad.low.size(); ++d) {
    if (pad.interior[d] != 0) return false;
    if ((pad.low[d] != 0 || pad.high[d] != 0) && !IsCut(accesses, d)) return false;
  }
  return true;
}

bool IsPart(const HloInstruction& i, size_t k) {
  return (i.op() == HloOpcode::Concatenate || i.op() == HloOpcode::Pad) &&
         !i.operand(k)->shape().is_scalar();
}

// Of its elements those that its operand k gives.
double ShareOf(const HloInstruction& i, size_t k) {
  return std::min(1., static_cast<double>(i.operand(k)->shape().element_count()) /
                          static_cast<double>(std::max<int64_t>(1, i.shape().element_count())));
}

// For which part of its elements it computes its operand k. What an update goes to is known when it
// runs: it is computed for all of them.
double PartOf(const HloInstruction& i, size_t k, const Group& group) {
  return IsPart(i, k) && IsCut(i, group.accesses.at(&i)) ? ShareOf(i, k) : 1;
}

}  // namespace

bool MovesElements(HloOpcode op) {
  switch (op) {
    case HloOpcode::Concatenate:
    case HloOpcode::Pad:
    case HloOpcode::Reverse:
    case HloOpcode::Slice:
    case HloOpcode::Reshape:
      return true;
    default:
      return false;
  }
}

double OwnCost(const HloInstruction& value) {
  // What is more is much: each value that may be computed again asks. Places of slices of
  // concatenates of slices are twice as many with each link.
  constexpr double kMuch = 256;
  constexpr size_t kMostSeen = 128, kMostPlaces = 64, kMostOperands = 32;
  absl::flat_hash_map<const HloInstruction*, Places> places{{&value, {{0, 1}}}};
  absl::flat_hash_map<const HloInstruction*, size_t> users_seen;
  std::vector<const HloInstruction*> own{&value};
  double cost = 0;
  for (size_t seen = 0; !own.empty() && cost < kMuch; ++seen) {
    const HloInstruction& i = *own.back();
    own.pop_back();
    const Places of_user = places[&i];
    if (seen == kMostSeen || of_user.size() > kMostPlaces) return kMuch;
    cost += SumOfParts(of_user) * OpCost(i);
    if (i.operands().size() > kMostOperands) continue;
    for (size_t k = 0; k < i.operands().size(); ++k) {
      const HloInstruction* o = i.operand(k);
      const bool is_computed = IsElementwise(o->op()) || MovesElements(o->op());
      if (!is_computed || o->shape().is_scalar()) continue;
      const double part = IsPart(i, k) ? ShareOf(i, k) : 1;
      for (const auto& [place, of] : of_user)
        places[o].emplace(Shifts(i.op(), k) ? absl::HashOf(place, &i, k) : place, of * part);
      const bool is_first =
          absl::c_find(i.operands(), o) - i.operands().begin() == static_cast<ptrdiff_t>(k);
      if (is_first && ++users_seen[o] == o->users().size()) own.push_back(o);
    }
  }
  return cost;
}

double SumOfParts(const Places& places, bool masks_small) {
  std::vector<double> parts;
  for (const auto& [place, part] : places) {
    const bool is_masked = masks_small && part < tuning::kSmallPart && part > tuning::kBorderPart;
    parts.push_back(is_masked ? 1 : part);
  }
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
      const double part = PartOf(*u, k, group);
      for (const auto& [place, of] : group.places.at(u))
        all.emplace(Shifts(u->op(), k) ? absl::HashOf(place, u, k) : place, of * part);
    }
  }
  return all;
}

size_t SharedElements(const Group& group) {
  const HloInstruction* x = group.outputs[0];
  if (group.outputs.size() > 1) return 1;
  while (x->op() == HloOpcode::Reshape) x = x->operand(0);
  if (x->op() != HloOpcode::Concatenate ||
      static_cast<int64_t>(x->operands().size()) > tuning::kMostSharedElements)
    return 1;
  const int64_t axis = x->dimensions()[0];
  const bool are_single = absl::c_all_of(
      x->operands(), [&](const HloInstruction* o) { return o->shape().dimension(axis) == 1; });
  return are_single ? x->operands().size() : 1;
}

double Repeats(const HloInstruction& producer, const Group& group) {
  double most = 1;
  for (const HloInstruction* u : UsersIn(producer, group)) {
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) != &producer) continue;
      double repeats = group.repeats.at(u);
      const bool is_slice = u->op() == HloOpcode::Slice || u->op() == HloOpcode::DynamicSlice;
      if (u->op() == HloOpcode::Windows || is_slice ||
          (IsPart(*u, k) && !IsCut(*u, group.accesses.at(u)))) {
        repeats *= static_cast<double>(u->shape().element_count()) /
                   static_cast<double>(std::max<int64_t>(1, producer.shape().element_count()));
      }
      most = std::max(most, repeats);
    }
  }
  return most;
}

double ComputedAgain(const HloInstruction& producer, const Places& places, const Group& group,
                     double cost) {
  // A short minor axis is written out element by element, each of the part that it is in.
  const bool is_written_out = !group.dims.empty() && group.dims.back() <= tuning::kMostSharedParts;
  const double times = SumOfParts(places, /*masks_small=*/!is_written_out) - 1;
  if (times <= 0 || SharedElements(group) > 1) return 0;
  double behind = 0;
  for (const HloInstruction* u : UsersIn(producer, group)) {
    if (const auto of_user = group.computed_again.find(u); of_user != group.computed_again.end())
      behind = std::max(behind, of_user->second);
  }
  return behind + times * cost;
}

double ElementsAt(const Access& access, const Group& group) {
  double n = 1;
  absl::flat_hash_set<int> seen;
  for (const AxisSet& d : access) {
    for (const auto& [axis, coefficient] : d) {
      if (axis < kInner && seen.insert(axis).second)
        n *= static_cast<double>(group.dims[static_cast<size_t>(axis)]);
    }
  }
  return n;
}

double TurnsOf(const Access& access, const Group& group) {
  int last = -1;
  for (const AxisSet& d : access) {
    for (const auto& [axis, coefficient] : d)
      if (axis < kInner) last = std::max(last, axis);
  }
  double turns = 1;
  for (int d = 0; d <= last; ++d) turns *= static_cast<double>(group.dims[static_cast<size_t>(d)]);
  return turns;
}

FusionDecision CanComputeAgain(const HloInstruction& producer, const Accesses& accesses,
                               const Places& places, const Group& group, const TargetInfo& target) {
  if (places.size() < 2) return {};
  const double cost = OwnCost(producer), again = ComputedAgain(producer, places, group, cost);
  if (again == 0 || cost == 0) return {};
  double elements = group.loops.empty() ? 0 : static_cast<double>(producer.shape().element_count());
  for (const Access& a : accesses) elements = std::max(elements, ElementsAt(a, group));
  return CompareWithMemory(producer, FusionReason::kComputedOften, elements * (1 + again / cost),
                           target, cost);
}

FusionDecision CanComputeOutputAgain(const HloInstruction& output, Places places,
                                     const Group& group, const TargetInfo& target) {
  places.erase(0);
  if (places.empty() || SharedElements(group) > 1) return {};
  const auto n = static_cast<double>(output.shape().element_count());
  const double fused = PriceOf(target, SumOfParts(places) * OwnCost(output) * n, 0),
               apart =
                   PriceOfKernel(target, 0, static_cast<double>(output.shape().byte_size()), fused);
  return ChooseCheaper(FusionReason::kComputedOften, fused, apart);
}

}  // namespace sinter::fusion
