// Arrays of many small rows, and the same with the short dimensions first.
#pragma once

#include <cstdint>

#include "ir/analysis/short_dimensions.h"
#include "ir/module.h"

namespace sinter::layout {

// A rotation by k moves the last k of `rank` dimensions to the front. Rotations by 0 and by `rank`
// change nothing.
struct Rotation {
  int64_t rank = 0;
  int k = 0;

  // Where a dimension goes.
  int64_t To(int64_t d) const { return d >= rank - k ? d - (rank - k) : d + k; }
  // A list with an entry a dimension, in the new order.
  Dims Of(const Dims& list) const;
  // Of a transpose that rotates, and of one that rotates back.
  Dims Permutation() const;
  Dims Inverse() const;
};

// Whether a reshape from `from`, rotated by `k`, to `to`, rotated by `l`, only splits and joins
// short dimensions among themselves and long ones among themselves.
bool ReshapesApart(const Shape& from, int k, const Shape& to, int l);

// Whether the operation works on single short dimensions: on the array as it is, kernels would walk
// along them.
bool WorksOnShortDimensions(const HloInstruction& i);

}  // namespace sinter::layout
