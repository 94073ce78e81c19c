// Custom calls of targets that take or give arrays in other layouts than row-major. The graph has
// row-major arrays only: such a target takes or gives the transpose that has the same order in
// memory, so that a call says the same on every device and in every text.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"

namespace sinter {

// Adds an instruction of that shape, or where that is null of the one which its rule gives.
using AddInstruction = std::function<absl::StatusOr<HloInstruction*>(
    HloOpcode op, const std::vector<HloInstruction*>& operands, Attributes attrs,
    const Shape* declared)>;

struct CustomCallInLayouts {
  HloInstruction* call = nullptr;
  HloInstruction* value = nullptr;  // what it gives, row-major: of the shape `result`
};

// `operand_shapes`, one an operand, and `result` say by their layouts in which order a target takes
// and gives its arrays, those in tuples too.
absl::StatusOr<CustomCallInLayouts> AddCustomCallInLayouts(const AddInstruction& add,
                                                           std::vector<HloInstruction*> operands,
                                                           absl::Span<const Shape> operand_shapes,
                                                           const Shape& result,
                                                           CustomCallAttrs attrs);

}  // namespace sinter
