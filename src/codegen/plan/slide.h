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

// The tile of rows, of which `inner` there are beside one another and `rows` one after another, and
// of `columns`, that makes the best use of `registers`: of columns one, two or four vectors,
// whichever leaves few of their lanes unused.
struct SlideTile {
  int rows = 0, cols = 0;
};
std::optional<SlideTile> ChooseSlideTile(int64_t inner, int64_t rows, int64_t columns, int lanes,
                                         int64_t registers);

}  // namespace sinter::plan
