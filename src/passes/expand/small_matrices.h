#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Calls of LAPACK's routines (custom_call/lapack.h) on batches of small matrices become operations
// of the graph, which are computed for many matrices at once and fuse with what is around them: a
// call takes a microsecond a matrix. Results are rounded differently. Calls with other operands
// than the routine has stay, and fail as such. Cholesky factorisations of larger matrices become
// the graph's where a library has them (linear_algebra.h): of a matrix without a factor they say
// that its first pivot fails, whichever it is.
std::unique_ptr<Pass> MakeExpandSmallMatricesPass(const TargetInfo& target);

}  // namespace sinter
