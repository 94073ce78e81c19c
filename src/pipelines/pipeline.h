// The passes for a target, in order.
#pragma once

#include "pass/pass.h"
#include "passes/fusion/fusion.h"
#include "target/target.h"

namespace sinter {

// `log`, if it is not null, is told fusion's decisions, and must outlive the pipeline.
Pipeline MakePipeline(const TargetInfo& target = {}, FusionLog* log = nullptr);

}  // namespace sinter
