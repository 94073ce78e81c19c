// Rules on choices by how far elements are from a matrix's diagonal.
#pragma once

#include "ir/module.h"

namespace sinter {

// A rule (passes/simplify/rules.h) of the algebraic pass, on a select.
HloInstruction* SimplifyBands(HloComputation& c, HloInstruction* select);

}  // namespace sinter
