// Rows of a task side by side (Plan::group_dim).
#pragma once

#include <functional>

#include "codegen/emit/region.h"

namespace sinter::emit {

// A group's first row; how many rows the dimension has; the coordinates and the tile of a task.
struct RowGroup {
  kernel::Value first = kernel::kNone;
  int64_t extent = 0;
  Coords& at;
  Frame& frame;
};

// `place` sets the coordinate of the rows' dimension, of one row or of columns from there; `rest`
// emits the outputs there.
void EmitRowGroup(Region& region, const RowGroup& group,
                  const std::function<void(kernel::Value base, int cols)>& place,
                  const std::function<void()>& rest);

}  // namespace sinter::emit
