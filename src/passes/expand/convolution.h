#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// What a convolution is replaced by (windows.h).
absl::StatusOr<HloInstruction*> Convolution(HloComputation& c, const HloInstruction& i);

}  // namespace sinter::expand
