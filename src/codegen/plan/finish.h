// What a region computes after its reductions and products, where that is long: it goes through
// their results part by part, which wait in a task buffer for that.
#pragma once

#include <optional>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// Units of OpCost.
struct WorkAroundLoops {
  double longest_before = 0;  // of one operation that does not depend on them
  double after = 0;           // of all that do
};
// What a region does around `loops`, all of its reductions and products; nothing unless each
// element of the outputs, which have these dimensions, has a result of its own of each.
std::optional<WorkAroundLoops> FindWorkAroundLoops(const Accesses& accesses,
                                                   const std::vector<const HloInstruction*>& loops,
                                                   const std::vector<int64_t>& dims);

// Sets what the plan says of it (Plan::finish_dim), where that pays: much depends on the loops.
void PlanFinish(const std::vector<const HloInstruction*>& loops, const std::vector<int64_t>& dims,
                Plan& plan);

}  // namespace sinter::plan
