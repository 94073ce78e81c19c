// The module's attribute entry_computation_layout: the shapes of the entry's parameters and result,
// with their layouts, which the graph does not have.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter {

inline constexpr std::string_view kEntryLayout = "entry_computation_layout";

// InvalidArgument where the value, "{(f32[2]{0}, s32[])->f32[2]{0}}", is of other shapes than the
// entry. One with layouts that are left open, "{auto}", is ignored.
absl::Status CheckEntryLayout(std::string_view value, const HloComputation& entry);

}  // namespace sinter
