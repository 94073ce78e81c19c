// Results of reductions along rows, of which there is one at a time, and much to do with each:
// several of them wait in a task buffer for that, and are vectors then.
#pragma once

#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// Sets what the plan says of it (Plan::finish_dim), where that pays: `loops` are all reductions and
// products of a region whose outputs have these dimensions, on all of which they depend.
void PlanFinish(const Accesses& accesses, const std::vector<const HloInstruction*>& loops,
                const std::vector<int64_t>& dims, Plan& plan);

}  // namespace sinter::plan
