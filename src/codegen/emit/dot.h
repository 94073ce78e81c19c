// What the ways to write products share.
#pragma once

#include "codegen/emit/region.h"

namespace sinter::emit {

// Coordinates of an operand (0 or 1) of a dot: batch, free and contracted dimensions each to its
// place. `at` are the result's, `contracted` those of the contracted dimensions.
Coords OperandCoords(const HloInstruction& dot, size_t side, const Coords& at,
                     const Coords& contracted);

}  // namespace sinter::emit
