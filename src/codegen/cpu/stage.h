// A stage of a kernel as an LLVM function of program::StageFunction's type.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "codegen/cpu/target.h"
#include "codegen/kernel/kernel.h"
#include "codegen/kernel/stages.h"
#include "llvm/IR/Module.h"

namespace sinter::cpu {

// The offsets of task buffers in a thread's scratch memory: each on cache lines of its own.
absl::StatusOr<kernel::TaskMemory> TaskMemoryOf(const kernel::Kernel& kernel);

// Emits `stage` into `module` as a function called `symbol`.
absl::Status EmitStage(const kernel::Kernel& kernel, const kernel::Op& stage, const Target& target,
                       const std::string& symbol, llvm::Module& module);

}  // namespace sinter::cpu
