// The cost of an op on one element, in units of one simple vector instruction a lane.
#pragma once

#include "ir/module.h"

namespace sinter {

// 0 for what moves no data; 1 for arithmetic; elementary functions by their length.
double OpCost(const HloInstruction& instruction);

// Recomputing a value of at least this many units costs more than a store and a load of the nearest
// cache.
inline constexpr double kWorthCaching = 6;

}  // namespace sinter
