// Rules on stacks: arrays that are put together from rows of one element each (jnp.stack), of which
// what is computed is computed of each row.
#pragma once

#include "ir/module.h"

namespace sinter {

// Rules (passes/simplify/rules.h) of the algebraic pass: on an elementwise instruction of stacks
// along the minor dimension, which vectors would be put together from; and on a reduction along the
// dimension of a stack, which would choose a row in each turn.
HloInstruction* SimplifyOfStacks(HloComputation& c, HloInstruction* i);
HloInstruction* SimplifyReduceOfStack(HloComputation& c, HloInstruction* i);

}  // namespace sinter
