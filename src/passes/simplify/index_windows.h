// Windows of gathers and scatters in as few dimensions as there are, so that vectors run along one
// that is long.
#pragma once

#include "ir/module.h"

namespace sinter {

// The positions of [0, rank) that are not among these.
Dims Others(const Dims& positions, int64_t rank);

// Rules (passes/simplify/rules.h) of the indexing pass: a gather of which dimensions of one element
// are collapsed, and a scatter of one array of which neighbouring dimensions that windows have all of
// are one, reshaped.
HloInstruction* CollapseUnits(HloComputation& c, HloInstruction* gather);
HloInstruction* MergeWholeDimensions(HloComputation& c, HloInstruction* scatter);

}  // namespace sinter
