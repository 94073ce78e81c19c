// How a scatter walks its updates.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace sinter {

// The dimension of a scatter's updates that goes on fastest where windows are single elements, if
// it has enough of them for vectors: the updates are combined one by one, but what they and their
// indices are computed from is vectors along that dimension. -1: there is none.
int64_t VectorDimension(const HloInstruction& scatter);

}  // namespace sinter
