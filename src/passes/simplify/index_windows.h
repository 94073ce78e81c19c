// Windows of gathers and scatters without dimensions of one element, so that vectors run along one
// that has more.
#pragma once

#include "ir/module.h"

namespace sinter {

// The positions of [0, rank) that are not among these.
Dims Others(const Dims& positions, int64_t rank);

// Rules (passes/simplify/rules.h) of the indexing pass: dimensions of which windows have one
// element are collapsed, and those of a scatter's array that have no more; the result is reshaped.
HloInstruction* CollapseUnitsOfGather(HloComputation& c, HloInstruction* gather);
HloInstruction* CollapseUnitsOfScatter(HloComputation& c, HloInstruction* scatter);

}  // namespace sinter
