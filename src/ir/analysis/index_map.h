// Index maps: which element of an operand an op reads for an element of its result, as affine
// functions. Plans, emitters and fusion all use this one answer, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/module.h"

namespace sinter {

// coefficient * (coordinate of dimension `dimension` of the result)
struct IndexTerm {
  int dimension = 0;
  int64_t coefficient = 1;
  bool operator==(const IndexTerm&) const = default;
};

// One operand coordinate: the sum of the terms plus `offset` (plus a run-time scalar, where the op
// has one).
struct IndexExpr {
  absl::InlinedVector<IndexTerm, 2> terms;
  int64_t offset = 0;
  bool operator==(const IndexExpr&) const = default;
};

// One expression an operand dimension.
using IndexMap = std::vector<IndexExpr>;

// The map of operand `operand` of an elementwise op or an index map, as far as it is affine:
//   elementwise: the identity (a scalar operand of select, clamp: no dimensions);
//   broadcast, transpose, slice, reverse; concatenate and pad without their range checks (pad only
//   without interior padding); dynamic-slice and dynamic-update-slice without the run-time starts;
//   reshape only where every operand coordinate is a sum of result coordinates (dimensions merge or
//   have extent 1);
//   gather: of its indices without the position in the index vector; of its operand, which
//   coordinates it depends on: those of a run-time start are there twice, with the coefficients 1
//   and 0, so that no sum of other coordinates looks like it;
//   scatter: of updates and indices as of a gather's result and indices, in terms of the
//   coordinates of the updates.
// Nothing where the op is none of these, the operand is an index or padding scalar, or the map is
// not affine.
std::optional<IndexMap> OperandIndexMap(const HloInstruction& instruction, size_t operand);

// The map of a reshape from `result` to `operand` dimensions as above.
std::optional<IndexMap> ReshapeIndexMap(const std::vector<int64_t>& operand,
                                        const std::vector<int64_t>& result);

// Whether two arrays have the same dimensions, but for those of one element.
bool SameButForUnits(const Shape& a, const Shape& b);

// Whether a slice takes neighbouring elements along every dimension.
bool HasUnitStrides(const HloInstruction& slice);
// Whether a slice's elements are contiguous in its row-major operand, so that it is a view.
bool IsContiguousSlice(const HloInstruction& slice);
// The offset of its first element in the operand, in bytes.
int64_t SliceOffset(const HloInstruction& slice);

}  // namespace sinter
