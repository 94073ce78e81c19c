// Reduction of the arguments of trigonometric functions; not for use outside this room.
#pragma once

#include "codegen/emit/math/internal.h"

namespace sinter::emit {

// An angle as q quarter turns, modulo their multiple of four, and r - rest, |r| slightly above an
// eighth of a turn at most. Only the low two bits of q count.
struct Reduced {
  Expr r, q, rest;
};

// Reduces x + `quarters` * pi/2 by Cody and Waite's three constants; where an element is huge, by
// Payne and Hanek's method, in a branch. r alone is within 1 ulp for all finite x, NaN for
// infinities. `with_rest` asks for the rest, which makes that hardly more than an error of rounding
// `rest`; without it, it is empty.
Reduced Reduce(Expr x, int quarters, bool with_rest);

}  // namespace sinter::emit
