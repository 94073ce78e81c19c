// Which axes the tiles of reduced windows slide along: Plan::slide_dim.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "ir/analysis/access.h"

namespace sinter::plan {

// An axis of the outputs, not that of columns, and a reduced one, such that all that is read is
// read at the sum of both or at neither; of several, with the longest reduced axis. `extent` is
// that of an axis.
std::optional<std::pair<int, int>> SlidingAxes(const Accesses& accesses, int col_dim,
                                               const std::function<int64_t(int)>& extent);

// The dimension of a reduction, or of a product behind those of its result, that the axis is; -1
// where the axis is none of its own, or its results are elsewhere.
int ReducedDim(const Accesses& accesses, const HloInstruction& reduce, int axis);

}  // namespace sinter::plan
