#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Transposes of what is computed from a product, by operations on elements, reductions and
// broadcasts of what these give, become one of the product itself, whose form is chosen with it:
//   s = dot(q, k)
//   m = transpose(s), x = transpose(reduce(s)), w = exponential(m - broadcast(x))
// becomes
//   m = transpose(dot(q, k))
//   w = exponential(m - broadcast(reduce(m)))
// where fewer elements are moved then: masks and other operands that are no broadcasts move in
// turn, and so do values that something else reads as they were. Products that are not worth
// packing stay as they are, whatever becomes of them.
std::unique_ptr<Pass> MakeProductTransposesPass();

}  // namespace sinter
