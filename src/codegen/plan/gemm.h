// When a matrix product is worth packing, and in which blocks.
#pragma once

#include "codegen/plan/plan.h"

namespace sinter::plan {

// A product of two matrices (no batch dimensions, one contracted and one free dimension on each
// side, of a real floating-point type or integers) that is too large for its operands to stay in
// the first-level cache.
bool WantsPacking(const HloInstruction& dot);

GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const Machine& machine, int lanes);

}  // namespace sinter::plan
