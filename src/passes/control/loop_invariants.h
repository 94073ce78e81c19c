#pragma once

#include "pass/pass.h"

namespace sinter {

// What a loop computes of arrays that no turn changes is computed once, before the loop, and
// carried through it: scaled or converted weights, products of them, masks, tables, orders,
// spectra, factors. Only operations without effects that cannot fail, whose work is worth an array
// in memory, which is no larger than what it is made of unless it is expensive. Loops that become
// one kernel over scalars or elements are left alone: kernels move such work by themselves.
std::unique_ptr<Pass> MakeLoopInvariantsPass();

}  // namespace sinter
