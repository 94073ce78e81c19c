// How many values of a tile wait in registers.
#pragma once

#include "absl/types/span.h"
#include "ir/module.h"

namespace sinter::plan {

// Values of elementwise operations that wait to be read, at most, where each is computed when all
// that it needs is. `order`: producers first.
int MostAlive(absl::Span<const HloInstruction* const> order);

// Vectors side by side, 8 at most, of which all arrays that loops of elements carry fit the
// registers.
int LoopVectors(absl::Span<const HloInstruction* const> order);

}  // namespace sinter::plan
