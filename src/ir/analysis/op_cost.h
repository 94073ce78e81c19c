// The cost of an op on one element, in units of one simple vector instruction a lane.
#pragma once

#include "ir/module.h"

namespace sinter {

// 0 for what moves no data; 1 for arithmetic; elementary functions by their length.
double OpCost(const HloInstruction& instruction);

}  // namespace sinter
