// Polynomials, and one that functions share.
#pragma once

#include <initializer_list>

#include "absl/types/span.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {

// Coefficients from the highest power down. By Horner's rule, but 6 to 12 of them as the even
// powers and the odd ones, by x^2: what waits for another value is half as long. Of more, as F64
// takes, the two sums may cancel.
inline Op Polynomial(Op x, absl::Span<const double> c) {
  constexpr size_t kShort = 5, kLong = 12;
  const size_t step = c.size() > kShort && c.size() <= kLong ? 2 : 1;
  Op y = step == 2 ? x * x : x;
  auto from = [&](size_t first) {
    Op p = FullLike(x, c[first]);
    for (size_t k = first + step; k < c.size(); k += step) p = p * y + c[k];
    return p;
  };
  if (step == 1) return from(0);
  const size_t even = (c.size() - 1) % 2;
  return from(1 - even) * x + from(even);
}
inline Op Polynomial(Op x, std::initializer_list<double> c) {
  return Polynomial(x, absl::Span<const double>(c.begin(), c.size()));
}

// lgamma(2 + t) / t of F64s, |t| <= 1/2 (special_functions.cc).
Op LgammaOverArgument(Op t);

}  // namespace sinter
