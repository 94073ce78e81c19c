// Between dimensions d and d + 1 of a value is its boundary d. A boundary that an operation needs
// is kept; boundaries that an operation carries over from one value to another are kept or go
// together.
#pragma once

#include <utility>
#include <vector>

#include "codegen/plan/dimension_classes.h"
#include "ir/module.h"
#include "ir/results.h"

namespace sinter::plan {

class DimensionBoundaries : protected DimensionClasses {
 protected:
  // Adds a value's boundaries. False for what may not be looked at: values without elements.
  bool Number(const HloInstruction& i) {
    std::vector<bool> kept;
    if (!HasNone(i)) {
      const Shape& s = ResultShape(i);
      for (int64_t d = 0; d < s.rank(); ++d) {
        if (s.dimension(d) == 0) return false;
        if (d > 0) kept.push_back(false);
      }
    }
    Add(i, kept);
    return true;
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
        Keep(to);
        again = true;
      }
    }
    return !AllKept();
  }
  // Which dimension each dimension becomes a part of, by value.
  std::vector<int64_t> Groups(const HloInstruction& i) {
    std::vector<int64_t> groups;
    for (int64_t d = 0; d < ResultShape(i).rank(); ++d)
      groups.push_back(d == 0 ? 0 : groups.back() + (Kept(At(i, d - 1)) ? 1 : 0));
    return groups;
  }

 private:
  std::vector<std::pair<size_t, size_t>> implied_;  // keeping one keeps the other
};

}  // namespace sinter::plan
