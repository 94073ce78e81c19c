// Runs programs on the host's processor.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/thread/fp_environment.h"
#include "base/thread/workers.h"
#include "program/program.h"
#include "runtime/memory_pool.h"
#include "runtime/step_executor.h"

namespace sinter::runtime::cpu {

// Loads the program's code and makes its steps ready; the program's `codes` and `steps` are not
// needed afterwards. Errors: the loader's; Unimplemented for a custom call without target;
// Internal for a malformed program.
absl::StatusOr<std::unique_ptr<StepExecutor>> MakeCpuExecutor(const program::Program& program,
                                                              program::Loader& loader,
                                                              std::shared_ptr<Workers> workers,
                                                              std::shared_ptr<MemoryPool> pool,
                                                              const StepExecutor::Options& options);

}  // namespace sinter::runtime::cpu
