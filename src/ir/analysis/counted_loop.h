// Loops that count: how often they run, and what follows from their counter, before fusion and
// after it.
#pragma once

#include <optional>
#include <vector>

#include "ir/module.h"

namespace sinter {

// In turn t of `turns`, element `counter` of the state, an integer, is first + t * step.
struct CountedLoop {
  int64_t counter = 0, first = 0, step = 0, turns = 0;
  int64_t last() const { return first + (turns - 1) * step; }  // of the last turn; turns > 0
};

// Of a while loop whose condition compares a counter with a constant, which begins at a constant
// and to which a constant is added in each turn, without overflow; else nothing.
std::optional<CountedLoop> CountTurns(const HloInstruction& loop);

// Of each element of a loop's state, a tuple: whether what it is before the first turn is of no
// use, as the turns write every element of the array and nothing reads it before (stacked outputs
// of a scan). The loop's body is one of fusions.
std::vector<bool> OverwrittenElements(const HloInstruction& loop);

}  // namespace sinter
