// What lies in windows that are some elements apart, put in blocks of as many elements, so that all
// places of a block meet windows in the same way.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"
#include "pass/graph.h"

namespace sinter::expand {

// How many places a box of these sizes has; INT64_MAX where there are more.
int64_t CountOf(const Dims& sizes);
// All of them, in row-major order.
std::vector<Dims> PlacesIn(const Dims& sizes);
// Dimensions `first` to `end`: of an array that has windows, those that Graph::Windows adds for the
// positions in one stand behind those that it had.
Dims DimsFrom(int64_t first, int64_t end);

// Along each dimension `counts` windows of `sizes` elements begin `strides` apart, the first at
// element 0; others there are not. Element a of block j is in windows j - (m - 1) to j at most, of
// which the k-th begins (m - 1 - k) blocks and a elements before it. Arrays over the elements have
// a dimension for the blocks and, where blocks have several elements, behind it one for their
// places.
class WindowBlocks {
 public:
  WindowBlocks(Dims sizes, Dims strides, const Dims& counts);

  // m of each dimension: how many windows an element is in at most.
  const Dims& meeting() const { return meeting_; }
  int64_t most_windows() const;  // INT64_MAX where there are more
  // Of an array over the elements, and how many these are (INT64_MAX where there are more).
  const Dims& dims() const { return dims_; }
  int64_t element_count() const { return CountOf(dims_); }
  bool has_few_places() const { return CountOf(places_) <= kMostListed; }

  // An array over the windows with a border of `value`, so that there is one for each k.
  HloInstruction* WithBorder(Graph& g, HloInstruction* windows, HloInstruction* value) const;
  // Of such an array for each element its k-th window's entry.
  HloInstruction* EntryOf(Graph& g, HloInstruction* bordered, const Dims& k) const;
  // The entries of all k at once, as further dimensions where m is not 1.
  HloInstruction* EntriesOf(Graph& g, HloInstruction* bordered) const;

  // For each element its position in its k-th window, in row-major order of these; a negative
  // number where it is behind that, but not -1. The type is an integer that holds all of them.
  HloInstruction* PositionOf(Graph& g, const Dims& k, ElementType type) const;
  // The same of all k, beside EntriesOf.
  HloInstruction* PositionsOf(Graph& g, ElementType type) const;
  // Whether it is before that; null where all are. Of blocks of a few places only.
  HloInstruction* IsIn(Graph& g, const Dims& k) const;

  // Elements `starts` to `starts` + `extents` of an array over them; `value` where there are none.
  HloInstruction* Elements(Graph& g, HloInstruction* x, const Dims& starts, const Dims& extents,
                           HloInstruction* value) const;

 private:
  Dims WithMeeting(Dims dims) const;
  // Positions that are a constant; more are computed.
  static constexpr int64_t kMostListed = 4096;
  static constexpr int32_t kBehind = -2;
  HloInstruction* PositionFrom(Graph& g, const std::vector<HloInstruction*>& before,
                               const Dims& dims, ElementType type) const;
  int32_t PositionIn(const Dims& k, const Dims& place) const;

  Dims sizes_, strides_, meeting_, blocks_, dims_;
  Dims block_dims_, place_dims_, places_;  // which of dims_ they are; extents of place_dims_
};

}  // namespace sinter::expand
