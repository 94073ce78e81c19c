// Where in an array a tile lies.
#pragma once

#include "absl/container/inlined_vector.h"
#include "codegen/kernel/builder.h"
#include "ir/analysis/interval.h"

namespace sinter::emit {

// The coordinate of one dimension: base + rows * (row in the tile) + cols * (column in the tile).
// The base is an index scalar, or (after maps that are not affine) a tile of S64, whose steps are
// then 0.
struct Coord {
  kernel::Value base = kernel::kNone;
  int rows = 0, cols = 0;
  // What is known of its values, of all elements that no bound or guard of the frame cuts off. It
  // follows from the base, so that equal coordinates may know more or less.
  Interval range;
  // Whether the range holds of what a guard cuts off as well: it was known before there was one.
  bool sure = false;

  bool operator==(const Coord& o) const {
    return base == o.base && rows == o.rows && cols == o.cols;
  }
  template <class H>
  friend H AbslHashValue(H h, const Coord& c) {
    return H::combine(std::move(h), c.base, c.rows, c.cols);
  }
};
using Coords = absl::InlinedVector<Coord, 4>;

}  // namespace sinter::emit
