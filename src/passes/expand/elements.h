// What a computation gives for each element of arrays.
#pragma once

#include "pass/pass.h"
#include "passes/expand/loop.h"

namespace sinter {
namespace expand {

// The arrays that `body` gives for each element of `arguments`: arrays of the dimensions `dims`,
// one a parameter, of the parameters' types. One a result, of which there are several where the
// root is a tuple. Computations of scalars are written out over the arrays; others (with loops,
// conditionals or arrays of their own) run in a loop over the elements. What is added to `c` stands
// for `origin`.
absl::StatusOr<Values> MapElements(HloComputation& c, const HloInstruction& origin,
                                   const HloComputation& body, const Values& arguments,
                                   const Dims& dims);

}  // namespace expand

// A map becomes what MapElements makes of its computation.
std::unique_ptr<Pass> MakeExpandMapsPass();

}  // namespace sinter
