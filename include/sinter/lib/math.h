// Elementary functions composed of operations (xla/hlo/builder/lib/math.h).
//
//   sinter::Op y = sinter::Asinh(x);
#pragma once

#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/ops.h"

namespace sinter {

// Floats; predicates result.
SINTER_API Op IsPosInf(const Operand& operand);
SINTER_API Op IsNegInf(const Operand& operand);
SINTER_API Op IsInf(const Operand& operand);
SINTER_API Op IsNan(const Operand& operand);

// Whatever has a product; a quotient.
SINTER_API Op Square(const Operand& operand);
SINTER_API Op Reciprocal(const Operand& operand);
// Coefficients from the highest power down; 0 without coefficients. Floats and complex numbers.
SINTER_API Op EvaluatePolynomial(const Operand& x, absl::Span<const float> coefficients);

// Special functions of floats; those narrower than F32 are computed in F32. Errors are in units in
// the last place of the result.
//
// 1 - erf(x), also where that is near 0; the inverse of erf, of |x| <= 1. Errors: 5.
SINTER_API Op Erfc(const Operand& x);
SINTER_API Op ErfInv(const Operand& x);
// log |gamma(x)|, infinite at the poles 0, -1, ... and its derivative for positive x, NaN at the
// poles. F32 is computed in F64. Errors: 4, near zeros of the functions 4 times 2^-52.
SINTER_API Op Lgamma(const Operand& x);
SINTER_API Op Digamma(const Operand& x);
// Modified Bessel functions of the first kind, of orders 0 and 1, times e^-|x|. Errors: 8.
SINTER_API Op BesselI0e(const Operand& x);
SINTER_API Op BesselI1e(const Operand& x);
// The sum over k >= 0 of (q + k)^-x; NaN for x < 1, infinite for x = 1 and at the poles q = 0, -1,
// ... of even x, NaN at those of odd x and for q < 0 where x is no integer. F32 is computed in F64.
// Errors: 20, for q < 0 in relation to the largest term.
SINTER_API Op Zeta(const Operand& x, const Operand& q);
// The n-th derivative of Digamma, (-1)^(n + 1) n! Zeta(n + 1, x); NaN unless n is a natural number
// or 0. F32 is computed in F64. Errors: as of Zeta up to n = 20; beyond, log(n!) times as large.
SINTER_API Op Polygamma(const Operand& n, const Operand& x);
// The next number after `from` in the direction of `to`. BF16, F16, F32, F64.
SINTER_API Op NextAfter(const Operand& from, const Operand& to);

// XLA's other name of RoundNearestEven.
inline Op RoundToEven(const Operand& x) { return RoundNearestEven(x); }
// Conj(x) of complex numbers if `conjugate`, else x.
SINTER_API Op MaybeConjugate(const Operand& x, bool conjugate);

}  // namespace sinter
