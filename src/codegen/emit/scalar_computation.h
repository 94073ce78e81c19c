// Computations of scalars (reducers, maps, small loops) on tiles.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/emit/parts.h"
#include "ir/module.h"

namespace sinter::emit {

// Evaluates a computation whose values are scalars (tuples of them as parameter or root), or arrays
// of one shape whose elements iterate independently (IsElementwiseLoop), element by element on
// tiles. `arguments` are its flattened parameters; the results are its flattened root.
// Intermediate values of BF16 and F16 keep F32 where `widen` is set. Unimplemented for anything
// that is not elementwise.
absl::StatusOr<std::vector<Parts>> EvalScalarComputation(kernel::Builder& b,
                                                         const HloComputation& computation,
                                                         absl::Span<const Parts> arguments,
                                                         bool widen);

}  // namespace sinter::emit
