// The passes for the CPU, in order.
#pragma once

#include "pass/pass.h"
#include "passes/fusion/fusion.h"

namespace sinter {

// `log`, if it is not null, is told fusion's decisions, and must outlive the pipeline.
Pipeline CpuPipeline(FusionLog* log = nullptr, const FusionOptions& fusion = {});

}  // namespace sinter
