// A stage of a kernel as an LLVM function of program::StageFunction's type.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "codegen/cpu/target.h"
#include "codegen/kernel/kernel.h"
#include "llvm/IR/Module.h"

namespace sinter::cpu {

// The top-level parallel loops of a kernel, in order; an error where its top holds other loops.
absl::StatusOr<std::vector<const kernel::Op*>> StagesOf(const kernel::Kernel& kernel);

// The kernel's buffers of which a stage takes pointers: arguments and scratch, in the kernel's
// order.
std::vector<int> LaunchBuffers(const kernel::Kernel& kernel);

// Where a kernel's task buffers lie in a thread's scratch memory.
struct TaskMemory {
  std::vector<int64_t> offsets;  // of each buffer; -1 of those that are not private to a task
  int64_t bytes = 0;
};
absl::StatusOr<TaskMemory> LayOutTaskMemory(const kernel::Kernel& kernel);

// Emits `stage` into `module` as a function called `symbol`.
absl::Status EmitStage(const kernel::Kernel& kernel, const kernel::Op& stage, const Target& target,
                       const std::string& symbol, llvm::Module& module);

}  // namespace sinter::cpu
