#pragma once

#include "pass/pass.h"

namespace sinter {

// Programs on many small matrices or points ([n, 3, 3], [n, 4]) whose elements meet in reductions,
// products of matrices and selections by index: every element becomes an array of its own, [n].
// What was indexing is then known, and all of it fuses into one kernel.
std::unique_ptr<Pass> MakeScalarReplacementPass();

}  // namespace sinter
