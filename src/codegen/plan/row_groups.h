// Rows that are reduced along vectors, some at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// Where a value of which a task has one for its coordinates is (Planner::PlaceInTask).
using PlaceInTask = absl::FunctionRef<std::optional<IndexMap>(const HloInstruction&)>;

// Sets what the plan says of it (Plan::group_dim), where that pays: rows are short, so that to
// combine the lanes of each by itself, and to compute what depends on its results alone, would take
// longer than to go through the row. `loops` are all reductions and products of the region, `dims`
// the dimensions of its outputs.
void PlanRowGroups(const Accesses& accesses, const std::vector<const HloInstruction*>& loops,
                   const std::vector<int64_t>& dims, PlaceInTask place, Plan& plan);

}  // namespace sinter::plan
