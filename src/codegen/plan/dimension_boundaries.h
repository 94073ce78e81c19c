// Between dimensions d and d + 1 of a value is its boundary d. A boundary that an operation needs
// is kept; boundaries that an operation carries over from one value to another are kept or go
// together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ir/results.h"

namespace sinter::plan {

class DimensionBoundaries {
 protected:
  // Adds a value's boundaries. False for what may not be looked at: values without elements.
  bool Number(const HloInstruction& i) {
    first_[&i] = leader_.size();
    if (HasNone(i)) return true;
    const Shape& s = ResultShape(i);
    for (int64_t d = 0; d < s.rank(); ++d) {
      if (s.dimension(d) == 0) return false;
      if (d > 0) leader_.push_back(leader_.size());
    }
    kept_.resize(leader_.size());
    return true;
  }
  int64_t Count(const HloInstruction& i) const {
    return HasNone(i) ? 0 : std::max<int64_t>(0, ResultShape(i).rank() - 1);
  }
  size_t At(const HloInstruction& i, int64_t d) const {
    return first_.at(&i) + static_cast<size_t>(d);
  }

  void Keep(const HloInstruction& i, int64_t d) { kept_[Find(At(i, d))] = true; }
  void KeepAll(const HloInstruction& i) {
    for (int64_t d = 0; d < Count(i); ++d) Keep(i, d);
  }
  void Unite(const HloInstruction& x, int64_t d, const HloInstruction& y, int64_t e) {
    const size_t a = Find(At(x, d)), b = Find(At(y, e));
    kept_[a] = kept_[a] || kept_[b];
    leader_[b] = a;
  }
  void UniteAll(const HloInstruction& x, const HloInstruction& y) {
    for (int64_t d = 0; d < Count(x); ++d) Unite(x, d, y, d);
  }
  // The same boundary of both where they are alike; else each keeps its own.
  void UniteIf(bool alike, const HloInstruction& x, const HloInstruction& y, int64_t d) {
    if (alike) return Unite(x, d, y, d);
    Keep(x, d);
    Keep(y, d);
  }
  // Where `from` is kept, so is `to`.
  void Imply(size_t from, size_t to) { implied_.emplace_back(from, to); }

  // When all has been said: whether any boundary goes.
  bool AnyGoes() {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [from, to] : implied_) {
        if (!Kept(from) || Kept(to)) continue;
        kept_[Find(to)] = true;
        again = true;
      }
    }
    for (size_t b = 0; b < leader_.size(); ++b)
      if (!Kept(b)) return true;
    return false;
  }
  // Which dimension each dimension becomes a part of, by value.
  std::vector<int64_t> Groups(const HloInstruction& i) {
    std::vector<int64_t> groups;
    for (int64_t d = 0; d < ResultShape(i).rank(); ++d)
      groups.push_back(d == 0 ? 0 : groups.back() + (Kept(At(i, d - 1)) ? 1 : 0));
    return groups;
  }

 private:
  static bool HasNone(const HloInstruction& i) {
    return i.op() == HloOpcode::Tuple || i.op() == HloOpcode::While;
  }
  size_t Find(size_t b) {
    while (leader_[b] != b) b = leader_[b] = leader_[leader_[b]];
    return b;
  }
  bool Kept(size_t b) { return kept_[Find(b)]; }

  absl::flat_hash_map<const HloInstruction*, size_t> first_;  // boundary of each value
  std::vector<size_t> leader_;                                // union-find over boundaries
  std::vector<bool> kept_;                                    // of leaders
  std::vector<std::pair<size_t, size_t>> implied_;            // keeping one keeps the other
};

}  // namespace sinter::plan
