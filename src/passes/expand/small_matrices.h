#pragma once

#include "pass/pass.h"

namespace sinter {

// Calls of LAPACK's routines (custom_call/lapack.h) on batches of small matrices become operations
// of the graph, which are computed for many matrices at once and fuse with what is around them: a
// call takes a microsecond a matrix. Results are rounded differently. Calls with other operands
// than the routine has stay, and fail as such.
std::unique_ptr<Pass> MakeExpandSmallMatricesPass();

}  // namespace sinter
