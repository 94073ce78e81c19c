// An array of many small rows, or of small matrices, as one array for each place in a row: what
// compilers of scalar programs call scalar replacement of aggregates.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace sinter::layout {

// The dimensions of an array apart: short ones, whose indices number the parts, and long ones,
// which are the dimensions of each part. Indices have an entry for every dimension of the array, 0
// for the long ones.
struct SplitArray {
  Dims sizes;                  // of the array
  Dims short_dims, long_dims;  // ascending
  Dims part;                   // sizes of the long ones
  int64_t parts = 1;           // how many there are

  // Nothing where it would be too many parts. A dimension that a reshape joins from short ones is
  // short, however long it is: where the elements of a diagonal are taken from.
  static std::optional<SplitArray> Of(const HloInstruction& x);
  // By the lengths of dimensions alone.
  static std::optional<SplitArray> Of(const Shape& shape);

  bool IsShort(int64_t d) const;
  // How many elements each part has.
  int64_t PartElements() const;
  // Parts are numbered in row-major order.
  Dims IndexOf(int64_t part) const;
  int64_t PartAt(const Dims& index) const;
  // Which of the part's dimensions the array's long dimension d is.
  int64_t PartDimension(int64_t d) const;
};

// Whether the parts of the operation's result can be computed from parts of its operands; they are
// split as their shapes say.
bool CanSplit(const HloInstruction& i);

// For a gather or scatter along one short dimension with an index a part, both with batch
// dimensions: where a dimension of its indices is among the result's dimensions (gather) or the
// input's (scatter), -1 for those that are not.
struct RowIndices {
  int64_t axis = 0;  // of the operand
  Dims array;        // a dimension of the operand: the result's (gather), the updates' (scatter)
  Dims indices;      // a dimension of the indices: the result's (gather), the updates' (scatter)
};
std::optional<RowIndices> RowIndicesOf(const HloInstruction& i);

}  // namespace sinter::layout
