#include "codegen/plan/schedules.h"

namespace sinter::plan {

absl::StatusOr<Plan> MakePlan(const HloComputation& region, const TargetInfo& target) {
  if (const GpuMachine* gpu = target.gpu()) return PlanForGpu(region, *gpu);
  return PlanForCpu(region, *target.cpu());
}

}  // namespace sinter::plan
