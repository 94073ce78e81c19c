// The loops of a scatter.
#pragma once

#include "codegen/plan/plan.h"

namespace sinter::plan {

// Chooses nest, axes and tiles for a region around `scatter`, over the dimensions of its updates;
// `plan.lanes` is known. Columns run along the minor dimension of the inputs, where windows have
// it. Tasks are what leads to different elements: batches, and window dimensions that no index
// moves. The rest goes in order, index vectors outside of windows. Where that leaves too few tasks,
// chunks of many updates of few elements combine into copies if their order is free, and else tasks
// own parts of the results. The number of copies changes sums, and is the same on all machines;
// that of owners changes nothing.
void PlanScatter(const HloInstruction& scatter, const CpuMachine& machine, Plan& plan);

}  // namespace sinter::plan
