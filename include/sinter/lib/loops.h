// Loops over several values (xla/hlo/builder/lib/loops.h).
//
//   // 2^10
//   auto powers = sinter::ForEachIndex(10, sinter::ElementType::S32,
//       [](sinter::Op i, absl::Span<const sinter::Op> values, sinter::Builder* b)
//           -> absl::StatusOr<std::vector<sinter::Op>> {
//         return std::vector<sinter::Op>{values[0] * 2}; },
//       {x}, "powers", &builder);
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// The predicate (a scalar) whether the loop goes on, of the values carried; the values after a
// step. Both record into the builder that they are given and use ops of that alone.
using WhileLoopHelperConditionFunction =
    std::function<absl::StatusOr<Op>(absl::Span<const Op>, Builder*)>;
using WhileLoopHelperBodyFunction =
    std::function<absl::StatusOr<std::vector<Op>>(absl::Span<const Op>, Builder*)>;

// While of a tuple of `initial_values`, which the functions see as its elements; the values at the
// end, in their order. InvalidArgument where the body gives another number of values; errors of the
// functions and of the builder.
SINTER_API absl::StatusOr<std::vector<Op>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const Op> initial_values,
    std::string_view name, Builder* builder);

// The values after a step, of the number of the step (a scalar, from 0) and the values before.
using ForEachIndexBodyFunction =
    std::function<absl::StatusOr<std::vector<Op>>(Op, absl::Span<const Op>, Builder*)>;

// The values after `num_iterations` steps, which are counted in `num_iterations_type`, an integer
// type. Errors as of WhileLoopHelper.
SINTER_API absl::StatusOr<std::vector<Op>> ForEachIndex(
    int64_t num_iterations, ElementType num_iterations_type,
    const ForEachIndexBodyFunction& body_function, absl::Span<const Op> initial_values,
    std::string_view name, Builder* builder);

}  // namespace sinter
