// Reductions that have to take their elements one after another.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// A reduction whose computation is not known to be one that may combine elements in any order
// (CombinesInAnyOrder) becomes that computation, element by element in row-major order of the
// dimensions that are reduced, beginning with the initial values: written out for a few elements,
// else a loop. The greatest or least number and its position, NaNs first, become a choice that may
// be made in any order. So a reduction means the same on every device, whatever its lanes and
// threads are.
std::unique_ptr<Pass> MakeExpandOrderedReductionsPass();

}  // namespace sinter
