// Computations of scalars, written out over arrays.
#pragma once

#include "absl/types/span.h"
#include "ir/module.h"

namespace sinter {

// The array that `body`, for which IsScalarComputation holds and whose result is one scalar, gives
// for each element of `arguments`: arrays of the dimensions `dims`, one a parameter, of the
// parameters' types. Instructions are added to `c`.
HloInstruction* InlineElementwise(HloComputation& c, const HloComputation& body,
                                  absl::Span<HloInstruction* const> arguments, const Dims& dims);

}  // namespace sinter
