#pragma once

#include "pass/pass.h"

namespace sinter {

// A loop's state that is an array put together from rows is carried row by row:
//
//   before: s = f32[n,3], of which a turn reads s[:,0], s[:,1], s[:,2], and makes s + dt * [dx dy
//   dz] after:  x, y, z = f32[n] each, of which a turn makes x + dt * dx, y + dt * dy, z + dt * dz
//
// Rows are cut out of the array before the loop, and put together after it. What a turn computes of
// such arrays, it computes of their rows (SplitArray). Left alone are loops where some operation
// needs an array as a whole, unless it stores it (stacked outputs) or reduces it; states that the
// condition looks at, of many rows, or whose rows never meet: those are elementwise as they are;
// and arrays that no turn changes, but beside such states.
std::unique_ptr<Pass> MakeSplitStatesPass();

}  // namespace sinter
