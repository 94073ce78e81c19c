// Runs programs on a CUDA device: straight runs of launches are submitted to the stream, control
// flow is driven by the host, which waits for each predicate.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "program/program.h"
#include "runtime/cuda/module.h"
#include "runtime/step_executor.h"

namespace sinter::runtime::cuda {

// Straight runs of at least this many launches and copies become graphs, the second time that they
// are run: a graph costs more to make than its first launch saves.
inline constexpr size_t kGraphLength = 6;

// Links the program's code, which is loaded when it is first run. Errors: CubinCache::Get's;
// Unimplemented for a custom call without target; Internal for a malformed program.
absl::StatusOr<std::unique_ptr<StepExecutor>> MakeCudaExecutor(
    const program::Program& program, std::shared_ptr<Context> context, CubinCache& cubins,
    std::shared_ptr<Transport> transport, const StepExecutor::Options& options);

}  // namespace sinter::runtime::cuda
