// Rules on predicates: of comparisons that have two cases, and of negations.
#pragma once

#include "ir/module.h"

namespace sinter {

// A rule (passes/simplify/rules.h) of the algebraic pass, on an elementwise instruction.
HloInstruction* SimplifyPredicates(HloComputation& c, HloInstruction* i);

}  // namespace sinter
