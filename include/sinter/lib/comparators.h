// Comparators for Sort (xla/hlo/builder/lib/comparators.h).
//
//   sinter::Op sorted = sinter::Sort({x}, sinter::CreateScalarLtComputation({F32}, &builder));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// LtTotalOrder and the other comparisons of sinter/ops.h.
using ScalarComparator = Op (*)(const Operand&, const Operand&, absl::Span<const int64_t>);

// Computations of 2 n scalars, two side by side of each of n types, that give a predicate. Errors
// go to the builder, and the computation is null: InvalidArgument without a type.
//
// The first two compared: x < y, x > y. Floats in total order, -NaN < -inf < ... < -0 < 0 < ... <
// inf < NaN.
SINTER_API Computation CreateScalarLtComputation(const std::vector<ElementType>& operand_types,
                                                 Builder* builder);
SINTER_API Computation CreateScalarGtComputation(const std::vector<ElementType>& operand_types,
                                                 Builder* builder);
// Lexicographically: the pairs that have a comparator, one for each type or nothing, are compared
// in their order, each where all before are equal. InvalidArgument where there are not as many
// comparators as types.
SINTER_API Computation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<ElementType>& operand_types,
    const std::vector<std::optional<ScalarComparator>>& comparators, Builder* builder);

}  // namespace sinter
