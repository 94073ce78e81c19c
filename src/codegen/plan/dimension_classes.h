// What the dimensions of a region's values, or the boundaries between them, have in common: members
// of a value that an operation carries over from one value to another are kept or go together.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter::plan {

class DimensionClasses {
 protected:
  // A tuple is its elements. Several results of one operation have the same dimensions.
  static bool HasNone(const HloInstruction& i) {
    return i.op() == HloOpcode::Tuple || i.op() == HloOpcode::While;
  }
  // Adds a value's members: which of them are kept whatever follows.
  void Add(const HloInstruction& i, const std::vector<bool>& kept) {
    members_[&i] = {leader_.size(), static_cast<int64_t>(kept.size())};
    for (bool k : kept) {
      leader_.push_back(leader_.size());
      kept_.push_back(k);
    }
  }
  int64_t Count(const HloInstruction& i) const { return members_.at(&i).count; }
  size_t At(const HloInstruction& i, int64_t d) const {
    return members_.at(&i).first + static_cast<size_t>(d);
  }

  void Keep(size_t member) { kept_[Find(member)] = true; }
  void Keep(const HloInstruction& i, int64_t d) { Keep(At(i, d)); }
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

  // When all has been said.
  bool Kept(size_t member) { return kept_[Find(member)]; }
  bool AllKept() {
    for (size_t m = 0; m < leader_.size(); ++m)
      if (!Kept(m)) return false;
    return true;
  }

 private:
  struct Members {
    size_t first;
    int64_t count;
  };

  size_t Find(size_t m) {
    while (leader_[m] != m) m = leader_[m] = leader_[leader_[m]];
    return m;
  }

  absl::flat_hash_map<const HloInstruction*, Members> members_;
  std::vector<size_t> leader_;  // union-find over members
  std::vector<bool> kept_;      // of leaders
};

}  // namespace sinter::plan
