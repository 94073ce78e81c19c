// Shows that every access stays within its buffer, from loop bounds, masks, conditions and affine
// index arithmetic.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Appends a line for each index of a load or store that cannot be shown to stay within its
// dimension, and for each loop whose step cannot be shown to divide its range though it says so
// (kExact). Index tiles (gathers) are not looked at. `kernel` must have passed the other checks of
// Verify.
void CheckBounds(const Kernel& kernel, std::vector<std::string>& errors);

}  // namespace sinter::kernel
