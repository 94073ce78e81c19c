// How many values wait in registers.
#pragma once

#include <vector>

#include "ir/module.h"

namespace sinter::plan {

// Values of elementwise operations on arrays that wait to be read, at most, where each is computed
// when all that it needs is: operands come before users.
int MostAlive(const std::vector<const HloInstruction*>& order);

// How many vectors side by side run a loop that elements run by themselves: in every turn,
// operations wait for those before, and what they keep is for the registers. 0 without such a loop.
int VectorsOfLoop(const std::vector<const HloInstruction*>& order, int registers);

}  // namespace sinter::plan
