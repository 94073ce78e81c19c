// Operands of different shapes, as the broadcasting operations of the chlo dialect take them.
#pragma once

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {

// Repeats `a` and `b` to common dimensions: those of the operand of higher rank, where extents of 1
// stretch. The other operand's dimensions are the last ones, or those that the attribute
// broadcast_dimensions names.
absl::Status MakeAlike(Lowering& l, const Operation& op, HloInstruction** a, HloInstruction** b);

}  // namespace sinter::stablehlo::lower
