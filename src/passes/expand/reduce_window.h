// Operations over windows that call computations (windows.h says what becomes of them).
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// What the instruction is replaced by; itself where it stays.
absl::StatusOr<HloInstruction*> ReduceWindow(HloComputation& c, HloInstruction& i);
// On these operands. Where they are not null, only those elements of the first operand are selected
// among, and only those windows select, for which the predicates are true.
absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, const HloInstruction& i,
                                                 absl::Span<HloInstruction* const> operands,
                                                 HloInstruction* elements = nullptr,
                                                 HloInstruction* windows = nullptr);

}  // namespace sinter::expand
