// The plan of a region with a cumulative reduce-window.
#pragma once

#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// The dimension that the scan walks along is a loop, everything else tasks; one tile of columns
// runs along the minor dimension that is left. `plan.lanes` is known.
void PlanScan(const HloInstruction& scan, Plan& plan);

// The same of a scan along the minor dimension, on a processor: squares of elements are read and
// written in the order of memory and transposed between, so that rows are scanned side by side. Of
// few rows each is scanned by itself, where elements or results are computed (`is_computed`): that
// runs along the row in vectors. False, and no plan, where there are too few elements in a row, or
// nothing but the scan of few rows.
bool PlanScanOfRows(const HloInstruction& scan, bool is_computed, Plan& plan);

// Of such a plan, how many rows of a tile are computed at a time, where what is computed before the
// scan is much.
void PlanStep(const HloInstruction& scan, const Accesses& accesses, Plan& plan);

}  // namespace sinter::plan
