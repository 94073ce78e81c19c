// How a scatter walks its updates.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace sinter {

// The dimension of a scatter's updates that goes on fastest where windows are single elements, if
// it has enough of them for vectors: the updates are combined one by one, but what they and their
// indices are computed from is vectors along that dimension. -1: there is none.
int64_t VectorDimension(const HloInstruction& scatter);

// So many chunks of the updates may each be combined into a copy of the results, which are then
// combined: many updates of few elements, in any order. 0: they may not, or it does not pay. The
// number changes sums, and is the same on all machines.
int64_t ScatterCopies(const HloInstruction& scatter);

// Whether updates lead to elements of their own, in memory of their own.
bool HasSeparateUpdates(const HloInstruction& scatter);

// Whether threads share the updates in one of these two ways.
bool SharesUpdates(const HloInstruction& scatter);

}  // namespace sinter
