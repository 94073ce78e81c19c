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
// Whether it is -0. Types without a sign of zero have none.
SINTER_API Op IsNegZero(const Operand& operand);

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
// log |gamma(x)|, infinite at the poles 0, -1, ... and its derivative for positive x, -inf at 0 and
// NaN at the other poles. F32 is computed in F64. Errors: 4, near zeros of the functions 4 times
// 2^-52.
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
// The regularized incomplete gamma functions P(a, x), the integral of t^(a-1) e^-t / gamma(a) from
// 0 to x, and Q(a, x) = 1 - P(a, x), each with its own digits where it is small. NaN for a <= 0 and
// for x < 0, but that Igammac is 1 there and at x = 0, as XLA's. Computed in F64 whatever the type.
// Errors of F64: 4 + 2 times the size of the logarithm of the result.
SINTER_API Op Igamma(const Operand& a, const Operand& x);
SINTER_API Op Igammac(const Operand& a, const Operand& x);
// The derivative of Igamma by a; that by a of the sample x of the gamma distribution of order a
// which has a given Igamma(a, x) (M. Figurnov, S. Mohamed, A. Mnih, Implicit Reparameterization
// Gradients, NeurIPS 2018).
SINTER_API Op IgammaGradA(const Operand& a, const Operand& x);
SINTER_API Op RandomGammaGrad(const Operand& a, const Operand& x);
// The regularized incomplete beta function I_x(a, b), the integral of t^(a-1) (1-t)^(b-1) / B(a, b)
// from 0 to x. NaN unless a > 0, b > 0 and 0 <= x <= 1. Computed in F64 whatever the type. For x
// above (a + 1) / (a + b + 2) errors are relative to 1, since it is 1 less another value.
SINTER_API Op RegularizedIncompleteBeta(const Operand& a, const Operand& b, const Operand& x);
// The next number after `from` in the direction of `to`. BF16, F16, F32, F64.
SINTER_API Op NextAfter(const Operand& from, const Operand& to);

// XLA's other name of RoundNearestEven.
inline Op RoundToEven(const Operand& x) { return RoundNearestEven(x); }
// Conj(x) of complex numbers if `conjugate`, else x.
SINTER_API Op MaybeConjugate(const Operand& x, bool conjugate);

}  // namespace sinter
