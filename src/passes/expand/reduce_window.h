// Operations over windows that call computations (windows.h says what becomes of them).
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// What the instruction is replaced by; itself where it stays.
absl::StatusOr<HloInstruction*> ReduceWindow(HloComputation& c, HloInstruction& i);
absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, HloInstruction& i);

}  // namespace sinter::expand
