#pragma once

#include "pass/pass.h"

namespace sinter {

// Arrays whose last dimensions are short, [n, 3] or [n, 4, 4], are computed with these first where
// that saves more than the transposes to and from it cost: kernels run along the last dimension.
// Carries of loops are included.
std::unique_ptr<Pass> MakeDimensionOrderPass();

}  // namespace sinter
