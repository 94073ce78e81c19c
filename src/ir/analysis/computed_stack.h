#pragma once

#include "ir/module.h"

namespace sinter {

// Whether an array is put together from single elements along its dimension `dim`, at most
// tuning::kMostSharedElements, some of which are computed: to write the places along it out is to
// compute each once, where a turn of a loop would choose one of them.
bool IsComputedStack(const HloInstruction& x, int64_t dim);

}  // namespace sinter
