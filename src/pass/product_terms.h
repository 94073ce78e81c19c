// The sum that a product is, written out.
#pragma once

#include "pass/graph.h"

namespace sinter {

// The products of elements that `dot` adds up, in the type that they are added in: that of the
// result, or F32 for narrower floats. `order` has the dimensions of the terms: those of the left
// operand by their numbers, the free ones of the right operand by theirs and the left operand's
// rank. Those of one element may be left out. Null where an operand is not of such a type, or of
// windows.
HloInstruction* ProductTerms(Graph& g, const HloInstruction& dot, const Dims& order);

}  // namespace sinter
