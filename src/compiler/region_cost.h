// What a region reads, writes and computes, counted from its operations alone: whatever plan runs
// it does at least that.
#pragma once

#include "ir/module.h"
#include "program/program.h"

namespace sinter::compiler {

// The body of a fusion. Values that nothing reads, as of an array of which a part is sliced, count
// as far as they are read.
program::Cost CostOf(const HloComputation& region);

}  // namespace sinter::compiler
