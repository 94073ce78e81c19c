// Reductions over windows (windows.h says what becomes of them).
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// What replaces the instruction; the instruction itself where nothing does.
absl::StatusOr<HloInstruction*> ReduceWindow(HloComputation& c, HloInstruction& i);

}  // namespace sinter::expand
