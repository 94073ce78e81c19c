// A stage of a kernel as a kernel function of a GPU: void symbol(buffers ..., params ...), one
// block of threads an iteration.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/gpu/target.h"
#include "codegen/kernel/kernel.h"
#include "llvm/IR/Module.h"

namespace sinter::gpu {

// Emits `stage` into `module` as a function called `symbol`, whose arguments are the pointers of
// kernel::LaunchBuffers and then every parameter as 64 bits. Returns the bytes of shared memory
// that a block needs.
absl::StatusOr<int64_t> EmitStage(const kernel::Kernel& kernel, const kernel::Op& stage,
                                  const Target& target, const std::string& symbol,
                                  llvm::Module& module);

}  // namespace sinter::gpu
