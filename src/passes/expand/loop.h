// Loops written as functions of their state.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pass/graph.h"

namespace sinter::expand {

using Values = std::vector<HloInstruction*>;

// Adds a While beside `origin`, for which it stands, and gives the elements of its last state:
// while `goes_on`, a PRED scalar, the state becomes `next` of it, of the same shapes. Both write
// into computations of the loop's own, so all that they read is in the state.
absl::StatusOr<Values> AddLoop(HloComputation& c, const HloInstruction& origin,
                               std::string_view name, const Values& initial,
                               const std::function<HloInstruction*(Graph&, const Values&)>& goes_on,
                               const std::function<Values(Graph&, const Values&)>& next);

}  // namespace sinter::expand
