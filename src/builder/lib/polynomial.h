// Polynomials, and one that functions share.
#pragma once

#include <initializer_list>

#include "absl/types/span.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {

// Coefficients from the highest power down.
inline Op Horner(Op x, absl::Span<const double> c) {
  Op p = FullLike(x, c[0]);
  for (double next : c.subspan(1)) p = p * x + next;
  return p;
}
inline Op Horner(Op x, std::initializer_list<double> c) {
  return Horner(x, absl::Span<const double>(c.begin(), c.size()));
}

// lgamma(2 + t) / t of F64s, |t| <= 1/2 (special_functions.cc).
Op LgammaOverArgument(Op t);

}  // namespace sinter
