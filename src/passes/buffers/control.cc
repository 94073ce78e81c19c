#include "passes/buffers/control.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "types/leaves.h"

namespace sinter {

// --- loops

std::vector<bool> ControlValues::ElementsThatStay(const HloInstruction& loop) {
  std::vector<bool> stays(LeafShapes(loop.shape()).size(), false);
  const HloInstruction *root = loop.called(1)->root(), *state = loop.called(1)->parameter(0);
  if (root->op() != HloOpcode::Tuple || root->operands().size() != stays.size()) return stays;
  for (size_t k = 0; k < stays.size(); ++k) {
    const HloInstruction* next = root->operand(k);
    stays[k] = next->shape().is_array() && next->op() == HloOpcode::GetTupleElement &&
               next->operand(0) == state &&
               next->attrs<TupleElementAttrs>().index == static_cast<int64_t>(k);
  }
  return stays;
}

bool ControlValues::ComputeIn(int state, const Slice& next) {
  const int64_t size = out_.program.allocations[static_cast<size_t>(state)].size;
  auto is_free = [&](int v) { return IsFree(v, size, loops_.back().begin); };
  if (next.offset != 0 || next.size != size || !is_free(next.allocation)) return false;
  // What took over its predecessor's storage brings it along.
  std::vector<int> chain{next.allocation};
  for (;;) {
    const int v = chain.back(), begin = lives_.ranges[static_cast<size_t>(v)].begin;
    int from = -1;
    lives_.in_place.ForEachInto(v, [&](const InPlace& p) {
      const int f = p.from.allocation;
      if (p.time != begin || !lives_.MayShare(out_.program, f, v)) return;
      if (f == state || (from != state && is_free(f))) from = f;
    });
    if (from == state) break;
    if (from >= 0) {
      chain.push_back(from);
      continue;
    }
    if (lives_.ranges[static_cast<size_t>(state)].end >= begin) return false;
    break;
  }
  for (int v : chain) lives_.computed_in[v] = state;
  return true;
}

bool ControlValues::Exchanges(const Slice& state, const Slice& next) {
  // Copying less costs less than a launch.
  constexpr int64_t kLeastBytes = 1024;
  auto& all = out_.program.allocations;
  const Allocation &to = all[static_cast<size_t>(state.allocation)],
                   &from = all[static_cast<size_t>(next.allocation)];
  LiveRange& range = lives_.ranges[static_cast<size_t>(next.allocation)];
  if (to.size < kLeastBytes || from.size != to.size || next.size != to.size ||
      from.residence != Residence::kTemp || range.begin <= loops_.back().begin ||
      lives_.computed_in.contains(next.allocation) || next.allocation == state.allocation)
    return false;
  range.begin = loops_.back().begin;
  loops_.back().extended.push_back(next.allocation);
  return true;
}

absl::flat_hash_map<int, int> ControlValues::TimesOf(const Slices& slices) {
  absl::flat_hash_map<int, int> times;
  for (const Slice& s : slices) ++times[s.allocation];
  return times;
}

std::vector<ControlValues::Swap> ControlValues::TakeSwaps(const Slices& state, Slices& next) {
  // Of arrays no larger than that a loop may be one kernel, in which nothing exchanges its roles
  // (tuning::kJoinedCopyBytes, which is not seen here).
  constexpr int64_t kLargestJoined = int64_t{16} << 10;
  absl::flat_hash_map<int, size_t> place;  // of an allocation in the state
  for (size_t k = 0; k < state.size(); ++k) place[state[k].allocation] = k;
  const absl::flat_hash_map<int, int> in_state = TimesOf(state), in_next = TimesOf(next);
  auto is_one_of = [](const auto& counts, const Slice& s, int times) {
    const auto found = counts.find(s.allocation);
    return (found == counts.end() ? 0 : found->second) == times;
  };
  auto is_whole = [&](const Slice& s) { return s.size == Whole(s.allocation).size; };
  std::vector<Swap> swaps;
  for (size_t k = 0; k < next.size(); ++k) {
    const auto found = place.find(next[k].allocation);
    if (found == place.end() || found->second == k) continue;
    const size_t other = found->second;
    const Slice old = state[other], to = state[k], made = next[other];
    if (!Same(next[k], old) || old.size <= kLargestJoined || old.size != to.size ||
        !is_whole(old) || !is_whole(to) || !is_one_of(in_state, old, 1) ||
        !is_one_of(in_state, to, 1) || !is_one_of(in_state, made, 0) ||
        !is_one_of(in_next, old, 1) || !is_one_of(in_next, to, 0) || !is_one_of(in_next, made, 1) ||
        !ComputeIn(to.allocation, made))
      continue;
    swaps.push_back({old, made});
    next[other] = old;
    next[k] = to;
  }
  return swaps;
}

void ControlValues::AddSwap(const Swap& swap, std::vector<Step>& steps) {
  const Slice saved = Whole(NewTemp(swap.old.size));
  CopyStep(swap.old, saved, steps);
  std::get<program::Copy>(steps.back().op).keeps = true;
  CopyStep(swap.made, swap.old, steps);
  std::get<program::Copy>(steps.back().op).exchange = true;
  CopyStep(saved, swap.made, steps);
  std::get<program::Copy>(steps.back().op).keeps = true;
}

void ControlValues::SaveMoved(const Slices& places, Slices& values, std::vector<Step>& steps) {
  absl::flat_hash_set<int> taken;
  for (const Slice& p : places) taken.insert(p.allocation);
  for (size_t k = 0; k < values.size(); ++k) {
    if (Same(values[k], places[k]) || !taken.contains(values[k].allocation)) continue;
    const Slice saved = Whole(NewTemp(values[k].size));
    CopyStep(values[k], saved, steps);
    values[k] = saved;
  }
}

// A temporary that was made since, to share storage of that size.
bool ControlValues::IsFree(int v, int64_t size, int since) const {
  const Allocation& a = out_.program.allocations[static_cast<size_t>(v)];
  return a.residence == Residence::kTemp && a.size == size &&
         lives_.ranges[static_cast<size_t>(v)].begin > since && !lives_.computed_in.contains(v);
}

// --- conditionals

std::vector<std::optional<size_t>> ControlValues::Origins(const HloComputation& branch,
                                                          size_t leaves,
                                                          const Predecessor& predecessor) {
  std::vector<std::optional<size_t>> origins(leaves);
  const HloInstruction *root = branch.root(), *operand = branch.parameter(0);
  // The place of an array among the leaves of the operand.
  auto place = [&](const HloInstruction* i) -> std::optional<size_t> {
    if (i->shape().is_array() && i == operand) return 0;
    if (i->op() != HloOpcode::GetTupleElement || i->operand(0) != operand) return std::nullopt;
    const auto index = static_cast<size_t>(i->attrs<TupleElementAttrs>().index);
    size_t before = 0;
    for (size_t k = 0; k < index; ++k) before += LeafCount(operand->shape().tuple_shapes()[k]);
    return before;
  };
  auto origin = [&](const HloInstruction* i) -> std::optional<size_t> {
    while (i != nullptr && i->shape().is_array()) {
      if (std::optional<size_t> leaf = place(i)) return leaf;
      if (i->op() == HloOpcode::GetTupleElement && i->operand(0)->op() == HloOpcode::While &&
          i->operand(0)->operand(0)->op() == HloOpcode::Tuple) {
        i = i->operand(0)->operand(0)->operand(
            static_cast<size_t>(i->attrs<TupleElementAttrs>().index));
      } else {
        i = predecessor(i);
      }
    }
    return std::nullopt;
  };
  if (root->op() != HloOpcode::Tuple) {
    if (leaves == 1) origins[0] = origin(root);
  } else if (root->operands().size() == leaves) {
    for (size_t k = 0; k < leaves; ++k) origins[k] = origin(root->operand(k));
  }
  return origins;
}

void ControlValues::DropShared(std::vector<BranchResult>& results) const {
  absl::flat_hash_map<int, int> times;
  for (const BranchResult& r : results)
    if (r.operand) ++times[r.operand->allocation];
  for (BranchResult& r : results) {
    if (!r.operand) continue;
    const Allocation& a = out_.program.allocations[static_cast<size_t>(r.operand->allocation)];
    if (times.at(r.operand->allocation) > 1 || a.residence == Residence::kConstant ||
        r.operand->size != a.size || r.storage.size != a.size)
      r.operand.reset();
  }
}

void ControlValues::EndBranch(const std::vector<BranchResult>& results, Slices values, int entered,
                              std::vector<Step>& steps) {
  Slices places;  // which may be the results' storage
  for (const BranchResult& r : results) places.push_back(r.operand ? *r.operand : r.storage);
  SaveMoved(places, values, steps);
  ++now_;  // all values are there before the first is copied
  for (const Slice& v : values) Use(v);
  const absl::flat_hash_map<int, int> times = TimesOf(values);
  for (size_t k = 0; k < values.size(); ++k) {
    if (times.at(values[k].allocation) > 1 || !ComputeInResult(results[k], values[k], entered))
      CopyStep(values[k], results[k].storage, steps);
  }
}

bool ControlValues::ComputeInResult(const BranchResult& result, const Slice& value, int entered) {
  const int64_t size = result.storage.size;
  if (value.offset != 0 || value.size != size || !IsFree(value.allocation, size, entered))
    return false;
  const int operand = result.operand ? result.operand->allocation : -1;
  // The operand is last read by this branch, or before it.
  const int read = operand < 0 ? 0 : lives_.ranges[static_cast<size_t>(operand)].end;
  // What took over its predecessor's storage brings it along.
  std::vector<int> chain{value.allocation};
  for (;;) {
    const int v = chain.back(), begin = lives_.ranges[static_cast<size_t>(v)].begin;
    int from = -1;
    lives_.in_place.ForEachInto(v, [&](const InPlace& p) {
      const int f = p.from.allocation;
      if (p.time != begin) return;
      if (f == operand && p.from.size == size && read <= std::max(p.time, p.until)) from = f;
      if (from != operand && IsFree(f, size, entered) && lives_.MayShare(out_.program, f, v))
        from = f;
    });
    if (operand >= 0 && from == operand) break;
    if (from < 0) {
      if (operand >= 0 && read >= begin) return false;
      break;
    }
    chain.push_back(from);
  }
  for (int v : chain) lives_.computed_in[v] = result.storage.allocation;
  return true;
}

void ControlValues::TakeOver(const Slice& operand, const Slice& result, int begin) {
  const int end = lives_.ranges[static_cast<size_t>(operand.allocation)].end;
  lives_.in_place.Add({operand, result.allocation, begin, end});
}

}  // namespace sinter
