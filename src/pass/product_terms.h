// The sum that a product is, written out.
#pragma once

#include "pass/graph.h"

namespace sinter {

// Dimensions of a product's terms are named: those of the left operand by their numbers, the free
// ones of the right operand by theirs and the left operand's rank.

// The names of the result's dimensions, in its order.
Dims TermsOfResult(const HloInstruction& dot);

// The products of elements that `dot` adds up, in the type that they are added in: that of the
// result, or F32 for narrower floats. `order`: the names of the terms' dimensions; those of one
// element may be left out. Null where an operand is not of such a type, or of windows.
HloInstruction* ProductTerms(Graph& g, const HloInstruction& dot, const Dims& order);

}  // namespace sinter
