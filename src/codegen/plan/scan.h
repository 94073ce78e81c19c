// The plan of a region with a cumulative reduce-window.
#pragma once

#include "codegen/plan/plan.h"

namespace sinter::plan {

// The dimension that the scan walks along is a loop, everything else tasks; one tile of columns
// runs along the minor dimension that is left. `plan.lanes` is known.
void PlanScan(const HloInstruction& scan, Plan& plan);

// The same of a scan along the minor dimension, on a processor: squares of elements are read and
// written in the order of memory and transposed between, so that rows are scanned side by side.
// False, and no plan, where there are too few rows or elements in one.
bool PlanScanOfRows(const HloInstruction& scan, Plan& plan);

}  // namespace sinter::plan
