// Computations of scalars (reducers, maps, small loops) on tiles.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/emit/parts.h"
#include "ir/module.h"

namespace sinter::emit {

using AnyOf = std::function<kernel::Value(kernel::Value predicates)>;

// Evaluates a computation whose values are scalars (tuples of them as parameter or root), or arrays
// of one shape whose elements iterate independently (IsElementwiseLoop), element by element on
// tiles. `arguments` are its flattened parameters; the results are its flattened root.
// Intermediate values of BF16 and F16 keep F32 where `widen` is set. The one reduction of a loop's
// condition asks `any` whether a predicate holds for any of the tile's elements (AnyGoesOn).
// Unimplemented for anything else that is not elementwise.
absl::StatusOr<std::vector<Parts>> EvalScalarComputation(kernel::Builder& b,
                                                         const HloComputation& computation,
                                                         absl::Span<const Parts> arguments,
                                                         bool widen, const AnyOf& any = nullptr);

}  // namespace sinter::emit
