// Fewer dimensions for the same region: neighbours that every operation treats alike become one, so
// that [a,b,c] is planned as [a*b,c] or [a*b*c]. Loops become longer and fewer, and regions that
// differed in shape only share their code.
#pragma once

#include <memory>

#include "ir/module.h"

namespace sinter::plan {

// A region (the body of a fusion) with merged dimensions, as the entry of a module of its own; null
// where nothing would change. Parameters and outputs are the same arrays in the same order:
// row-major memory does not know dimensions. Complex numbers of two F32 that are only moved are
// U64. It calls the computations that `region` calls, which must outlive it.
//
// Two neighbouring dimensions stay apart in a value where an operation that makes or reads it
// treats them differently: one of them is reduced, broadcast, counted by an iota or sliced, or
// another dimension comes between them.
std::unique_ptr<HloModule> MergeDimensions(const HloComputation& region);

}  // namespace sinter::plan
