// Which reductions, scans and products are computed inside a region, where their readers are.
#pragma once

#include "passes/fusion/groups.h"

namespace sinter::fusion {

// A reduction, a reduce-window or a dot.
bool IsLoop(const HloInstruction& instruction);

// Whether the region may compute the reduction, reduce-window or dot, which it reads at these
// accesses, and else why not.
FusionDecision CanJoinLoop(const HloInstruction& loop, const Accesses& accesses, const Group& group,
                           const TargetInfo& target);

}  // namespace sinter::fusion
