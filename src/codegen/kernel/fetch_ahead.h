// Prefetches memory that the next iteration of a loop reads.
#pragma once

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Where an iteration of a loop reads a row of a buffer more than once, as softmax and norms do,
// only its first pass waits for memory. The second pass is made to fetch what the first pass of the
// next iteration will read: this sets `ahead` of its loads. Of rows that are longer than a quarter
// of a core's second-level cache of `l2_bytes` too little would be left. No result changes.
void FetchRowsAhead(Kernel& kernel, int64_t l2_bytes);

}  // namespace sinter::kernel
