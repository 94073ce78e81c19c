// The schedules of the kinds of machines.
#pragma once

#include "codegen/plan/plan.h"

namespace sinter::plan {

absl::StatusOr<Plan> PlanForCpu(const HloComputation& region, const CpuMachine& machine);
absl::StatusOr<Plan> PlanForGpu(const HloComputation& region, const GpuMachine& machine);

}  // namespace sinter::plan
