// When what concatenates put together is computed inside a region, and when by a kernel of its own,
// in which each part is code by itself.
#pragma once

#include "passes/fusion/groups.h"

namespace sinter::fusion {

// How many elements of `producer` the group computes where it looks some up at places that it
// computes: gathers, and others by what these read, each again. 0: none.
double LookUps(const HloInstruction& producer, const Group& group);

// Whether the region may compute what it looks up, element by element, at places that are data:
// each array behind it would be looked up instead, which takes longer than to read them from end to
// end.
FusionDecision CanLookUp(const HloInstruction& producer, const Accesses& accesses,
                         const Group& group, const TargetInfo& target);

// Whether the region may read a concatenate or a pad part by part, at these accesses and places:
// not where each vector has elements of several that are computed, and where it reads by steps, or
// from where indices say, only if that takes less than to put the parts together before.
FusionDecision CanReadParts(const HloInstruction& parts, const Accesses& accesses,
                            const Places& places, const Group& group, bool has_product,
                            const TargetInfo& target);

// Whether a product that is not packed may compute its left operand, `computed` elements of it,
// each for all lanes of a vector, with all that it is computed from element by element.
FusionDecision CanComputeRows(const HloInstruction& operand, const HloInstruction& dot,
                              double computed, const TargetInfo& target);

}  // namespace sinter::fusion
