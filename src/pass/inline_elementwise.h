// Computations of scalars, written out over arrays.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"

namespace sinter {

// The arrays that `body`, for which IsScalarComputation holds, gives for each element of
// `arguments`: arrays of the dimensions `dims`, one a parameter, of the parameters' types. One a
// result, of which there are several where the root is a Tuple. Instructions are added to `c`.
std::vector<HloInstruction*> InlineElementwiseResults(HloComputation& c, const HloComputation& body,
                                                      absl::Span<HloInstruction* const> arguments,
                                                      const Dims& dims);

// The same of a body with one result.
HloInstruction* InlineElementwise(HloComputation& c, const HloComputation& body,
                                  absl::Span<HloInstruction* const> arguments, const Dims& dims);

}  // namespace sinter
