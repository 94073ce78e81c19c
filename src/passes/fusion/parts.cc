#include "passes/fusion/parts.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/computed_stack.h"
#include "ir/analysis/op_cost.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::fusion {
namespace {

// What is computed of elements for elements of the value, up to where it says enough, in OpCost.
// Parts of concatenates and pads are chosen from at a price of `choice` each; without one, what is
// behind pads and slices is taken for memory.
double ElementwiseCost(const HloInstruction& value, double enough, double choice = 0) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> stack{&value};
  double cost = 0;
  while (!stack.empty() && cost < enough) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    const HloOpcode op = i->op();
    const bool is_chosen = op == HloOpcode::Concatenate || (choice > 0 && op == HloOpcode::Pad),
               is_moved = op == HloOpcode::Reshape ||
                          (choice > 0 && (op == HloOpcode::Slice || op == HloOpcode::Reverse));
    if (!(is_chosen || is_moved || IsElementwise(op)) || i->shape().element_count() < 2 ||
        !seen.insert(i).second)
      continue;
    cost += OpCost(*i) + (is_chosen ? choice : 0);
    absl::c_copy(i->operands(), std::back_inserter(stack));
  }
  return cost;
}

// Whether vectors would hold elements of several parts that are computed, or tiles of a product's
// operand would (`has_product`), each of which would be computed for all of them, in each turn of a
// loop: as the output of a region each part is by itself.
bool ComputesNarrowParts(const HloInstruction& concatenate, const Group& group, bool has_product,
                         double lanes) {
  constexpr size_t kFew = 4;
  constexpr double kLittle = 4;  // a part
  const Shape& s = concatenate.shape();
  const auto parts = static_cast<double>(concatenate.operands().size());
  const int64_t axis = concatenate.dimensions()[0];
  if ((axis + 1 != s.rank() && !has_product) || concatenate.operands().size() < kFew ||
      static_cast<double>(s.dimension(axis)) >= parts * lanes)
    return false;
  return (!group.loops.empty() && IsComputedStack(concatenate, axis)) ||
         ElementwiseCost(concatenate, kLittle * parts) >= kLittle * parts;
}

// How many elements the group reads of `value` in runs along its minor axis, from where indices
// say: as it is, or of what is computed of it element by element.
double ElementsOfRuns(const HloInstruction& value, const Group& group) {
  constexpr size_t kMost = 16;
  const int64_t rank = value.shape().rank();
  std::vector<const HloInstruction*> stack{&value};
  double elements = 0;
  for (size_t k = 0; k < stack.size() && k < kMost; ++k) {
    for (const HloInstruction* u : UsersIn(*stack[k], group)) {
      if (IsElementwise(u->op()) && u->shape().rank() == rank) stack.push_back(u);
      if (u->operand(0) != stack[k]) continue;
      const int64_t run = u->op() == HloOpcode::Gather ? u->attrs<GatherAttrs>().slice_sizes.back()
                          : u->op() == HloOpcode::DynamicSlice ? u->shape().dimension(rank - 1)
                                                               : 1;
      if (run > 1) elements += static_cast<double>(u->shape().element_count());
    }
  }
  return elements;
}

// How many elements the group reads of `value` that stand apart along its minor axis, as where
// windows move by steps.
double ElementsApart(const HloInstruction& value, const Accesses& accesses, const Group& group) {
  double elements = 0;
  for (const Access& a : accesses) {
    if (a.empty()) continue;  // of a loop's state
    const bool stand_apart = absl::c_any_of(a.back(), [](const auto& term) {
      return term.first < kInner && std::abs(term.second) > 1;
    });
    if (stand_apart) elements += ElementsAt(a, group);
  }
  if (elements == 0) return 0;
  const auto own = static_cast<double>(value.shape().element_count());
  return std::max(elements, own * Repeats(value, group));
}

// Whether the group may read a concatenate or pad along its minor axis lane by lane, which is how
// masked vectors are read where it changes from one part to the next: of elements that stand apart,
// and on some processors of runs from where indices say.
FusionDecision CanReadLanes(const HloInstruction& moved, const Accesses& accesses,
                            const Group& group, const TargetInfo& target) {
  const CpuMachine* cpu = target.cpu();
  const int64_t last = moved.shape().rank() - 1;
  if (cpu == nullptr || last < 0) return {};
  size_t parts = 1;
  if (moved.op() == HloOpcode::Concatenate) {
    if (moved.dimensions()[0] != last) return {};
    parts = moved.operands().size();
  } else {
    const auto& pad = moved.attrs<PadAttrs>();
    if (pad.low.back() == 0 && pad.high.back() == 0) return {};
  }
  double elements = ElementsApart(moved, accesses, group);
  if (!HasMasks(*cpu, ByteWidth(moved.shape().element_type())))
    elements += ElementsOfRuns(moved, group);
  const double lanes = elements * static_cast<double>(parts) * LanesOf(target);
  return CompareWithMemory(moved, FusionReason::kMasked, lanes, target, tuning::kMaskedLane);
}

// Whether elements of a concatenate may be looked up in the region. Nobody knows from which part
// one is: all are computed for each.
FusionDecision CanLookUpParts(const HloInstruction& concatenate, const Group& group,
                              const TargetInfo& target) {
  constexpr double kChoice = 2;  // of a part, beside what computes it
  const double looked_up = LookUps(concatenate, group);
  if (looked_up == 0) return {};
  const auto parts = static_cast<double>(concatenate.operands().size());
  const double computed =
      ElementwiseCost(concatenate, std::numeric_limits<double>::infinity()) / parts;
  return CompareWithMemory(concatenate, FusionReason::kComputedOften, looked_up * parts, target,
                           kChoice + computed);
}

// Whether its elements are those of its operands, at other places that are known.
bool IsMoved(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Broadcast:
    case HloOpcode::Concatenate:
    case HloOpcode::Pad:
    case HloOpcode::Reverse:
    case HloOpcode::Slice:
    case HloOpcode::Transpose:
      return true;
    default:
      return false;
  }
}

// How many arrays are read, or places of arrays, to compute an element of the value. What is around
// a padded array counts too.
double ReadsOf(const HloInstruction& value) {
  constexpr size_t kMost = 64;  // instructions: what is more is much
  absl::flat_hash_set<const HloInstruction*> seen{&value}, read;
  std::vector<const HloInstruction*> all{&value};
  double moved = 0;
  for (size_t k = 0; k < all.size() && k < kMost; ++k) {
    const HloInstruction& i = *all[k];
    for (const HloInstruction* o : i.operands()) {
      if (o->shape().element_count() < 2 || o->op() == HloOpcode::Constant) continue;
      if (IsElementwise(o->op()) || IsMoved(*o)) {
        if (seen.insert(o).second) all.push_back(o);
      } else if (IsElementwise(i.op())) {
        read.insert(o);
      } else {
        ++moved;
      }
    }
    moved += i.op() == HloOpcode::Pad;  // under a mask
  }
  return moved + static_cast<double>(read.size());
}

}  // namespace

FusionDecision CanLookUp(const HloInstruction& producer, const Accesses& accesses,
                         const Group& group, const TargetInfo& target) {
  if (target.cpu() == nullptr || !(IsElementwise(producer.op()) || IsMoved(producer))) return {};
  const double looked_up = LookUps(producer, group);
  if (looked_up == 0) return {};
  // Where vectors run along what is looked up, not along runs of elements from there on.
  const int last = static_cast<int>(group.dims.size()) - 1;
  const bool is_gathered = absl::c_any_of(accesses, [&](const Access& a) {
    return absl::c_any_of(a, [&](const AxisSet& d) {
      return absl::c_any_of(d, [&](const std::pair<int, int64_t>& term) {
        return term.second == 0 && (term.first == last || term.first >= kInner);
      });
    });
  });
  const double reads = is_gathered ? ReadsOf(producer) : 0;
  if (reads <= 1) return {};
  const auto own = static_cast<double>(producer.shape().element_count());
  const double work = ElementwiseCost(producer, std::numeric_limits<double>::infinity(), 1),
               fused =
                   PriceOf(target, looked_up * (work + (reads - 1) * tuning::kGatheredElement), 0),
               apart = PriceOfKernel(target, own * work,
                                     static_cast<double>(producer.shape().byte_size()), fused);
  return ChooseCheaper(FusionReason::kLookedUp, fused, apart);
}

double LookUps(const HloInstruction& producer, const Group& group) {
  double all = 0;
  for (const HloInstruction* u : UsersIn(producer, group)) {
    const auto of_user = group.look_ups.find(u);
    const double behind = of_user == group.look_ups.end() ? 0 : of_user->second;
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) != &producer) continue;
      const bool looks_up = u->op() == HloOpcode::Gather && k == 0;
      all += behind + (looks_up ? static_cast<double>(u->shape().element_count()) : 0);
    }
  }
  return all;
}

FusionDecision CanReadParts(const HloInstruction& parts, const Accesses& accesses,
                            const Places& places, const Group& group, bool has_product,
                            const TargetInfo& target) {
  // Loops of reductions are cut at the seams of one place: others are decided for each element.
  if (const double times = SumOfParts(places); !group.loops.empty() && !has_product && times > 1) {
    const auto elements = static_cast<double>(parts.shape().element_count()),
               readers = static_cast<double>(accesses.size());
    const auto decision = CompareWithMemory(
        parts, FusionReason::kMasked, times * readers * elements, target, tuning::kMaskedRead);
    if (!decision.joins()) return decision;
  }
  if (parts.op() == HloOpcode::Concatenate) {
    if (ComputesNarrowParts(parts, group, has_product, LanesOf(target)))
      return {FusionReason::kManyPlaces};
    if (const auto d = CanLookUpParts(parts, group, target); !d.joins()) return d;
  }
  return CanReadLanes(parts, accesses, group, target);
}

FusionDecision CanComputeRows(const HloInstruction& operand, const HloInstruction& dot,
                              double computed, const TargetInfo& target) {
  if (dot.operand(0) != &operand) return {};
  constexpr double kChoice = 1, kMuch = 16 * tuning::kWorthCaching;  // no more can matter
  const double cost = ElementwiseCost(operand, kMuch, kChoice);
  if (cost < tuning::kWorthCaching) return {};
  return CompareWithMemory(operand, FusionReason::kPrologue, computed * LanesOf(target), target,
                           cost);
}

}  // namespace sinter::fusion
