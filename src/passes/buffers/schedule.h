// The order in which a computation's instructions become steps.
#pragma once

#include <functional>
#include <vector>

#include "ir/module.h"

namespace sinter {

// Whether the collective's start and end are steps of their own: the program has it so, and several
// participants meet in it.
bool BeginsOnly(const HloInstruction& i);

// Operands before users, and what acts on the world outside in the order that it stands in. Where
// collectives only begin, as early as their operands allow, what does not need their results comes
// before what does. Other computations keep their post-order, but that what changes an array in
// place comes after those that read it, where they do not need its result: else it would change a
// copy. `changed` gives the operands that an instruction changes.
using ChangedOperands = std::function<std::vector<const HloInstruction*>(const HloInstruction& i)>;
std::vector<HloInstruction*> Scheduled(const HloComputation& c, const ChangedOperands& changed);

}  // namespace sinter
