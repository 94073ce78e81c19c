// What all implementations of products share.
#pragma once

#include "codegen/emit/region.h"

namespace sinter::emit {

// Coordinates of operand 0 or 1 of a dot, in the operand's order of dimensions. `at`: coordinates
// of the result; `contracted`: of the contracted dimensions.
Coords OperandCoords(const HloInstruction& dot, size_t side, const Coords& at,
                     const Coords& contracted);

}  // namespace sinter::emit
