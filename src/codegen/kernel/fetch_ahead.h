// Prefetches memory that the next iteration of a loop reads.
#pragma once

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Where an iteration of a loop reads a row of a buffer more than once, as softmax and norms do,
// only its first pass waits for memory. The second pass is made to fetch what the first pass of the
// next iteration will read: this sets `ahead` of its loads. No result changes.
void FetchRowsAhead(Kernel& kernel);

}  // namespace sinter::kernel
