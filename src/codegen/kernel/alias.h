// Shows that buffers that may overlap do no harm, from affine index arithmetic.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Appends a line for each load and store of two buffers of one alias group of which it cannot be
// shown that the store changes nothing that the load is still to read: a task reads an element
// before it writes it, and none reads what another writes. Buffers of a group are taken to begin at
// the same address; so their extents and strides must be the same (the minor ones in bytes).
// `kernel` must have passed the other checks of Verify.
void CheckAliases(const Kernel& kernel, std::vector<std::string>& errors);

}  // namespace sinter::kernel
