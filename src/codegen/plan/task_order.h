// The order of the tasks of a nest.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// Tasks follow one another on a thread, the last of `plan.task_dims` first. Where a cache of
// `cache_bytes` does not hold what all of them read, orders them so that what one operand gives to
// a task stays there for as many tasks as there are, if less memory goes through the cache than in
// the order that they have. `dims`: extents of the outputs.
void OrderTasks(const Accesses& accesses, absl::Span<const int64_t> dims, int64_t cache_bytes,
                Plan& plan);

}  // namespace sinter::plan
