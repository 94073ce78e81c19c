#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Products of windows of BF16 and F16 that are not packed (HasUnpackedWindows) become products of
// F32, the type that they are computed in anyway: an element is converted once, not in each of the
// windows that it is in, for each tile of columns (a convolution of 64 to 64 features, 3 x 3 at
// 28 x 28 places: 5.3 to 1.6 ms). CPUs only, and not where there are dot instructions for them.
std::unique_ptr<Pass> MakeWideWindowsPass(const TargetInfo& target);

}  // namespace sinter
