// Which parts of outputs' rows begin where a vector of memory does: a store or load of such a
// vector is of one line of the cache, and may go past the caches.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/interval.h"
#include "ir/module.h"

namespace sinter::plan {

// Whether vectors of `lanes` elements begin at the same columns of all rows.
bool HasAlignedRows(const Shape& output, int lanes);

// Whether a part of a row is so long that code of its own for its first few elements pays, after
// which vectors are whole ones of memory.
bool IsWorthAligning(const Interval& part, int lanes);

// The parts of rows, of which long ones that begin within a vector are two: the elements up to
// where the next one begins, and the rest. `overlap`: or rather a vector of elements, the last of
// which are in the rest as well.
std::vector<Interval> AlignedParts(const std::vector<Interval>& parts, int lanes, bool overlap);

// The same of boxes along their last dimension; the short ones come first.
std::vector<Box> AlignedBoxes(std::vector<Box> boxes, int lanes);

}  // namespace sinter::plan
