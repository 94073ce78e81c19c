// Scatters as sorts, for targets without code that writes at places that are data, and for
// computations that no target has code for.
#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Updates are sorted by where they go, those of one element in their order, and each element of the
// results then takes what is there for it. No two threads write one element, and every run gives
// the same bits.
//
// An update that replaces what was there: the last one of an element is taken. Sums,
// products, minima, maxima and bit operations: updates of one element are combined in pairs, pairs
// of those, and so on, in as many rounds as the logarithm of the most updates that any element has;
// sums of floats are reordered as all sums are. Any other computation takes updates one after
// another, in as many rounds as the most updates that any element has.
//
// A computation that is none of scalars runs element by element (passes/expand/elements.h).
std::unique_ptr<Pass> MakeScatterBySortPass(const TargetInfo& target);

}  // namespace sinter
