// Operations over windows that call computations (windows.h says what becomes of them).
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// What replaces the instruction; the instruction itself where nothing does.
absl::StatusOr<HloInstruction*> ReduceWindow(HloComputation& c, HloInstruction& i);
// The expansion on these operands. Where the predicates are not null, selection is among the
// elements of the first operand for which one is true, and by the windows for which the other is.
absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, const HloInstruction& i,
                                                 absl::Span<HloInstruction* const> operands,
                                                 HloInstruction* elements = nullptr,
                                                 HloInstruction* windows = nullptr);

}  // namespace sinter::expand
