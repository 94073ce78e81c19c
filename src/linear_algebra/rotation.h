// Plane rotations.
#pragma once

#include <cmath>
#include <limits>

#include "linear_algebra/matrix.h"

namespace sinter::linear_algebra {

// The square root of x^2 + y^2, of numbers whose squares seldom overflow.
template <class R>
R Hypotenuse(R x, R y) {
  const R squares = x * x + y * y;
  if (squares > kSafeMinimum<R> / kRounding<R> && squares < std::numeric_limits<R>::max())
    return std::sqrt(squares);
  return std::hypot(x, y);
}

// cosine x + sine y = length, cosine y - sine x = 0.
template <class R>
struct Rotation {
  R cosine, sine, length;
  static Rotation Of(R x, R y) {
    if (y == 0) return {1, 0, x};
    if (x == 0) return {0, 1, y};
    const R length = Hypotenuse(x, y);
    return {x / length, y / length, length};
  }
};

}  // namespace sinter::linear_algebra
