// When what concatenates put together is computed inside a region, and when by a kernel of its own,
// in which each part is code by itself.
#pragma once

#include "passes/fusion/groups.h"

namespace sinter::fusion {

// Whether vectors would hold elements of several parts that are computed, or tiles of a product's
// operand would (`has_product`), each of which would be computed for all of them: as the output of
// a region each part is by itself.
bool ComputesNarrowParts(const HloInstruction& concatenate, bool has_product, double lanes);

// How many elements of `producer` the group computes where it looks some up at places that it
// computes: gathers, and others by what these read, each again. 0: none.
double LookUps(const HloInstruction& producer, const Group& group);

// Whether elements of a concatenate are looked up in the region. Nobody knows from which part one
// is: all are computed for each.
FusionDecision CanLookUpParts(const HloInstruction& concatenate, const Group& group,
                              const TargetInfo& target);

// Whether a product that is not packed may compute its left operand, `computed` elements of it,
// each for all lanes of a vector, with all that it is computed from element by element.
FusionDecision CanComputeRows(const HloInstruction& operand, const HloInstruction& dot,
                              double computed, const TargetInfo& target);

}  // namespace sinter::fusion
