// What the ragged dimension of a ragged-dot is.
//
// It is cut into groups one after the other: group g holds as many of its elements as entry g of
// the last dimension of the group sizes says, none where that is negative; what remains behind the
// last group belongs to none.
#pragma once

#include <initializer_list>

#include "ir/ops/attributes.h"

namespace sinter {

// kFree:        each row of lhs meets the right operand of its group; rows of no group give 0.
// kContracting: each group sums over its own part; the result has a dimension of groups first.
// kBatch:       a plain dot; the sizes change nothing.
enum class RaggedMode { kFree, kContracting, kBatch };

struct RaggedDims {
  RaggedMode mode = RaggedMode::kFree;
  // Dimensions of lhs for each of which there may be sizes of its own: the batch dimensions, then
  // the free or contracting ones before the ragged one; in mode kBatch the batch dimensions before
  // it.
  Dims before;
};
// Of exactly one ragged dimension of lhs.
RaggedDims FindRagged(const RaggedDotAttrs& attrs, int64_t lhs_rank);

// The dimensions of an array of that rank that are in none of the lists.
Dims FreeDims(int64_t rank, std::initializer_list<const Dims*> lists);

}  // namespace sinter
