// The largest elements by sorting (xla/hlo/builder/lib/sorting.h).
//
//   sinter::Op top = sinter::TopK(x, 5);   // (values, indices)
#pragma once

#include <cstdint>

#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// A tuple of the k largest elements of each row along the last dimension, from the largest down,
// and of their positions in `index_type`, an integer type. Of equal elements the earlier one comes
// first; floats are in total order. InvalidArgument where k is not between 0 and the dimension.
SINTER_API Op TopK(const Operand& input, int64_t k, ElementType index_type = ElementType::S32);
// The same from part after part of the last dimension, cut into `num_partitions`, in a loop that
// carries the best so far. All at once where a part would hold no more than k elements.
SINTER_API Op TopKWithPartitions(const Operand& input, int64_t k, int64_t num_partitions = 1,
                                 ElementType index_type = ElementType::S32);

}  // namespace sinter
