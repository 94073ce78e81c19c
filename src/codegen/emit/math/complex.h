// Elementary functions of complex numbers as kernel IR, on pairs of tiles.
//
//   emit::Complex w = emit::Log({{&b, re}, {&b, im}});
//
// Parts are F32 or F64. Errors are relative to the modulus of the result, at most 8 units of
// 2^-53 for F64; the caller converts C64 to F64 and rounds once, which makes both parts good to 1
// ulp, but near poles and zeros that no F64 is. Power, which would lose |y log x| units with a
// logarithm in one F64, has it in two. Branch cuts and special values are those of C99, Annex G, as
// far as it says; nothing overflows where the result does not.
//
// Methods: W. Kahan, Branch Cuts for Complex Elementary Functions (1987); T. E. Hull, T. F.
// Fairgrieve, P. T. P. Tang, Implementing the Complex Arcsine and Arccosine Functions Using
// Exception Handling, ACM TOMS 23(3), 1997.
#pragma once

#include "codegen/emit/math/math.h"

namespace sinter::emit {

struct Complex {
  Expr re, im;
};

// |z|.
Expr Modulus(Complex z);
// Smith's method (R. L. Smith, Algorithm 116, CACM 1962); a divisor of zero gives infinities.
Complex Divide(Complex x, Complex y);
// x / y where its parts have become NaNs: of a divisor of zero infinities, of infinite numbers
// infinities, and of infinite divisors zeros, as in C99, G.5.1; elsewhere `quotient`.
Complex QuotientAtLimits(Complex x, Complex y, Complex quotient);

Complex Exp(Complex z);
Complex Expm1(Complex z);
Complex Log(Complex z);
Complex Log1p(Complex z);
Complex Logistic(Complex z);
Complex Sqrt(Complex z);
Complex Rsqrt(Complex z);
// The principal root: a third of the angle.
Complex Cbrt(Complex z);
Complex Sin(Complex z);
Complex Cos(Complex z);
Complex Tan(Complex z);
Complex Sinh(Complex z);
Complex Cosh(Complex z);
Complex Tanh(Complex z);
Complex Asin(Complex z);
Complex Acos(Complex z);
Complex Atan(Complex z);
Complex Asinh(Complex z);
Complex Acosh(Complex z);
Complex Atanh(Complex z);
// exp(y log x), and where that is no number what its arguments say (power.cc). F64: 6 units.
Complex Pow(Complex x, Complex y);
// -i log((x + iy) / sqrt(x^2 + y^2)).
Complex Atan2(Complex y, Complex x);

}  // namespace sinter::emit
