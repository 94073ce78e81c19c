// Loop-invariant code motion: what a loop computes in each turn alike, and what costs more than to
// keep it, is computed once, before the loop; before the tasks of a stage, too.
#pragma once

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// The kernel with such values moved out of its loops, the outermost first. What moves writes
// nothing and reads no buffer that the kernel writes. What comes before a stage stands at the top,
// once for each thread that runs tasks of it: for targets whose tasks are turns of a loop.
Kernel HoistInvariants(const Kernel& kernel);

}  // namespace sinter::kernel
