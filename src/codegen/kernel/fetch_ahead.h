// Memory that the next turn of a loop reads, asked for while this turn computes.
#pragma once

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Where a turn of a loop goes over a row of a buffer more than once, as softmax and norms do, only
// the first pass waits for memory. The second pass is made to fetch what the next turn's first pass
// will read: sets `ahead` of its loads. No result changes.
void FetchRowsAhead(Kernel& kernel);

}  // namespace sinter::kernel
