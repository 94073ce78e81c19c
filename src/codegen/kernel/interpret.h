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
//
// `observer`, where given, learns in order what happens.
class Observer;
absl::Status Interpret(const Kernel& kernel, absl::Span<void* const> buffers,
                       absl::Span<const int64_t> params, Observer* observer = nullptr);

// Watches a kernel being interpreted: for checks of what its result does not show.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void BeginTask() {}  // an iteration of a stage
  virtual void Sync() {}
  // A load or store of one element of its tile that is not masked off; `element` is its offset in
  // the buffer, in elements.
  virtual void Touch(const Op& op, int row, int col, int64_t element) = 0;
};

}  // namespace sinter::kernel
