// Runs kernels serially on plain loops: the oracle that tests hold compiled kernels against.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Runs all stages of `kernel`. `buffers` are the argument and scratch buffers in the order of
// Kernel::buffers, without those that are private to a task or constant; `params` the values of
// Kernel::params. Semantics are README.md's to the bit.
//
// Internal if the kernel is invalid (but for bounds), a parameter is out of its bounds, an access
// leaves its buffer's shape, or the step of an exact loop does not divide its range: the message
// names the operation. Elements of task buffers are garbage when a task begins.
absl::Status Interpret(const Kernel& kernel, absl::Span<void* const> buffers,
                       absl::Span<const int64_t> params);

}  // namespace sinter::kernel
