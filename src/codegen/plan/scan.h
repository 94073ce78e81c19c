// The plan of a region with a cumulative reduce-window.
#pragma once

#include "codegen/plan/plan.h"

namespace sinter::plan {

// The dimension that the scan walks along is a loop, everything else tasks; one tile of columns
// runs along the minor dimension that is left. `plan.lanes` is known.
void PlanScan(const HloInstruction& scan, Plan& plan);

}  // namespace sinter::plan
