// Loops whose turns go through the same columns of their arrays: columns outside, turns inside.
#pragma once

#include <optional>

#include "absl/types/span.h"
#include "codegen/kernel/compose.h"

namespace sinter::kernel {

// `composed`, a kernel of one task that Compose has made, as one whose tasks are blocks of columns:
// each runs all turns of the loops for its columns, whose state it carries in registers, of which
// the machine has `vector_registers` (an integrator of many small states, a recurrence over rows).
// The same bits. Nothing where what one column writes another one reads, where columns meet in a
// scalar, or where kernels go through arrays in other ways than column by column.
std::optional<Kernel> ByColumns(const Composed& composed, absl::Span<const ItemMemory> memory,
                                int vector_registers);

}  // namespace sinter::kernel
