// Which parts of its buffers each part of a stage's tasks uses: what moves between a processor's
// cores where stages follow each other.
#pragma once

#include <vector>

#include "codegen/kernel/kernel.h"
#include "program/program.h"

namespace sinter::kernel {

// Of a stage's halves, the buffers in the order of LaunchBuffers. The kernel has no parameters.
std::vector<program::BufferUse> UsesOf(const Kernel& kernel, const Op& stage);

}  // namespace sinter::kernel
