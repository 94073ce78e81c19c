// Windows that select an element each, to which something is scattered: gradients of pooling.
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// A select-and-scatter on these operands as two steps: the position in its window of the element
// that each window selects; and for each element what the windows that it belongs to, which begin
// at most a window's size before it, scatter there. Time is in proportion to elements and to how
// many windows these belong to. Where the predicates are not null, selection is among the elements
// of the first operand for which one is true, and by the windows for which the other is.
absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, const HloInstruction& i,
                                                 absl::Span<HloInstruction* const> operands,
                                                 HloInstruction* elements = nullptr,
                                                 HloInstruction* windows = nullptr);

}  // namespace sinter::expand
