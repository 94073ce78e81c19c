// Which parts of its buffers each part of a stage's tasks uses: what moves between a processor's
// cores where stages follow each other, and what tasks have to wait for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"
#include "program/program.h"

namespace sinter::compiler {

// Of a stage's halves, the buffers in the order of kernel::LaunchBuffers. The kernel has no
// parameters.
std::vector<program::BufferUse> UsesOf(const kernel::Kernel& kernel, const kernel::Op& stage);

// Of each task, the buffers by their places in kernel::LaunchBuffers, of `sizes` bytes. Tasks that
// use no more than they do may state more, never less. Nothing for more than `most_tasks` tasks.
// The kernel has no parameters.
std::vector<program::TaskRanges> RangesOf(const kernel::Kernel& kernel, const kernel::Op& stage,
                                          absl::Span<const int64_t> sizes, int64_t most_tasks);

}  // namespace sinter::compiler
