#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Calls of LAPACK's routines (custom_call/lapack.h) on batches of small matrices become operations
// of the graph, which are computed for many matrices at once and fuse with what is around them: a
// call takes a microsecond a matrix. So do calls on larger matrices where the target's library has
// the operation (linear_algebra.h). Results are rounded differently. Calls with other operands than
// the routine has stay, and fail as such. Of a matrix without a Cholesky factor the library's say
// that its first pivot fails, whichever it is.
std::unique_ptr<Pass> MakeExpandSmallMatricesPass(const TargetInfo& target);

}  // namespace sinter
