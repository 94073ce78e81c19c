// Which parts of its buffers each part of a stage's tasks uses: what moves between a processor's
// cores where stages follow each other.
#pragma once

#include <vector>

#include "codegen/kernel/kernel.h"
#include "program/program.h"

namespace sinter::compiler {

// Of a stage's halves, the buffers in the order of kernel::LaunchBuffers. The kernel has no
// parameters.
std::vector<program::BufferUse> UsesOf(const kernel::Kernel& kernel, const kernel::Op& stage);

}  // namespace sinter::compiler
