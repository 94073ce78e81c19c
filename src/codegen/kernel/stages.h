// The parts of a kernel that launches need: its stages, the buffers that they take, their private
// memory, the number of their tasks. The same for every target.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// The top-level parallel loops of a kernel, in order; Internal where its top holds what gives no
// value.
absl::StatusOr<std::vector<const Op*>> StagesOf(const Kernel& kernel);

// The kernel with some of its stages only, whose numbers ascend: as code of its own, of the same
// buffers and parameters.
Kernel WithStages(const Kernel& kernel, absl::Span<const size_t> stages);

// The buffers of which a stage takes pointers: arguments and scratch, in the kernel's order.
std::vector<int> LaunchBuffers(const Kernel& kernel);

// Bytes of a buffer's elements; nothing where an extent is no constant.
std::optional<int64_t> BufferBytes(const Kernel& kernel, const Buffer& buffer);

// The offsets of a kernel's task buffers in the memory that is private to a task.
struct TaskMemory {
  std::vector<int64_t> offsets;  // in bytes, of each buffer; -1 of those that are no task buffers
  int64_t bytes = 0;
};
// `align` (bytes, a power of two) is that of every buffer. With `apart`, buffers that are walked
// together are not a multiple of 4 KiB apart.
absl::StatusOr<TaskMemory> LayOutTaskMemory(const Kernel& kernel, int64_t align, bool apart);

// What a stage uses of a kernel: values, and buffers.
struct StageUse {
  std::vector<bool> values;   // by id; of the kernel's top too
  std::vector<bool> buffers;  // read or written
  std::vector<bool> written;
  bool Uses(const Op& op) const;  // any of its results
};
StageUse UseOf(const Kernel& kernel, const Op& stage);

// The number of tasks of a stage, given the kernel's parameters; nothing where its bounds depend on
// parameters that are not given, or are not index arithmetic.
std::optional<int64_t> TasksOf(const Kernel& kernel, const Op& stage,
                               absl::Span<const int64_t> params);

}  // namespace sinter::kernel
