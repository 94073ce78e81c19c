// Operations that compute each row of an array from the same row of others.
#pragma once

#include "ir/module.h"

namespace sinter {

// Dimensions of more than one element, and their sizes: the others may stand anywhere.
Dims LongDims(const Shape& s);
Dims LongSizes(const Shape& s);

// Whether what is reduced or contracted along these dimensions are rows: the last dimension of more
// than one element, and no other such dimension.
bool AreWholeRows(const Shape& s, const Dims& dims);

// For arrays of one shape, which has such dimensions: the last of them is a row.
class RowOperations {
 public:
  explicit RowOperations(const Shape& shape);

  // Elements of a row.
  int64_t row() const { return full_.empty() ? 1 : full_.back(); }
  // Whether it has the rows in order, or one value for each.
  bool HasRows(const HloInstruction& i) const { return LongSizes(i.shape()) == full_; }
  bool HasRowValues(const HloInstruction& i) const { return LongSizes(i.shape()) == values_; }

  // Whether it is an operation on elements, on whole rows, or one that moves dimensions of one
  // element only, and gives rows or a value for each.
  bool Has(const HloInstruction& i) const;

 private:
  Dims full_;    // sizes of the long dimensions
  Dims values_;  // without the last one
};

}  // namespace sinter
