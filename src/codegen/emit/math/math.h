// Elementary functions as kernel IR: what every target, and the interpreter, computes for them.
//
//   kernel::Expr x{&builder, tile};
//   kernel::Value y = emit::Tanh(x * 0.5);
//
// Operands are tiles of F32 or F64 of any shape (two operands broadcast); the result has their
// type. BF16 and F16 are the caller's: convert to F32, call, round once. Denormals are operands and
// results like others. Special values are those of C99, Annex F; NaN gives NaN but where that says
// otherwise (Pow).
//
// Errors are the largest found, F32 and F64, in units in the last place of the result: for F32 over
// all operands with the exponents that matter and samples of the others (two operands: 2^24 pairs),
// for F64 over 2^20 samples. Multiply-adds are fused and nothing depends on the target, so results
// are the same on all. There are no branches by element and no tables, with one exception: Sin, Cos
// and Tan reduce huge operands in an `if`, taken by a tile with a huge element; it cannot stand in
// a combiner.
//
// Polynomials are minimax fits of our own (minimax.py). Methods: fdlibm (Sun, 1993); W. J. Cody and
// W. Waite, Software Manual for the Elementary Functions (1980); J.-M. Muller, Elementary
// Functions, 3rd ed. (2016); others where they are used.
#pragma once

#include "codegen/kernel/builder.h"

namespace sinter::emit {

using kernel::Expr;

// 2^n times a polynomial of r = x - n ln 2, reduced by two constants.
// Errors: 0.90, 0.86.
Expr Exp(Expr x);

// The same reduction; 2^n p + (2^n - 1), where p approximates expm1(r). Exact for tiny x, -0 too.
// Errors: 1.55, 1.88.
Expr Expm1(Expr x);

// 1 / (1 + exp(-x)) by exp(-|x|), as 1 - q or e (1 - q) with q = e / (1 + e): no overflow, and
// results down to the denormals of exp(x).
// Errors: 1.65, 1.64.
Expr Logistic(Expr x);

// x = m 2^k with m in [3/4, 3/2); the leading terms of log(m) and k ln 2 are added last. F32: a
// polynomial in m - 1; F64: in s = (m - 1) / (m + 1), as in fdlibm.
// Errors: 0.96, 0.80.
Expr Log(Expr x);

// The same for 1 + x, whose mantissa is found without rounding 1 + x. Keeps -0.
// Errors: 0.96, 0.83.
Expr Log1p(Expr x);

// Reduction to an eighth of a turn (reduce.h: Cody and Waite's; above 2^17, F64 2^30, Payne and
// Hanek's), then both the sine's and the cosine's polynomial, and a choice. Never beyond 1.
// Errors: 1.55, 1.44.
Expr Sin(Expr x);
Expr Cos(Expr x);

// The same reduction with what it rounds away, and one division, of which the polynomial is
// numerator or denominator.
// Errors: 2.08, 1.91.
Expr Tan(Expr x);

// N / (N + 1) for N = expm1(2 |x|) / 2, reduced as Exp; the quotient enters only as the smaller
// part. Never beyond 1.
// Errors: 1.71, 1.53.
Expr Tanh(Expr x);

// e^|x| / 2 and its inverse; the sine below 1 a polynomial. Infinite only where the result is.
// Errors: below 3.
Expr Sinh(Expr x);
Expr Cosh(Expr x);

// Log1p of what the argument of the logarithm is above 1.
// Errors: below 3.
Expr Asinh(Expr x);
Expr Acosh(Expr x);
Expr Atanh(Expr x);

// A polynomial in x^2 below about 1; above, 1 - 2^q with a polynomial q of |x| for log2 erfc, as
// N. Juffa does it. Never beyond 1.
// Errors: 1.64, 1.25.
Expr Erf(Expr x);

// A guess at x^(-1/3) from the bits, improved by a polynomial (F64: and a step of Newton's), times
// x, corrected by the residual; after L. Moroz et al., Fast Calculation of Cube and Inverse Cube
// Roots (2021).
// Errors: 0.93, 0.88.
Expr Cbrt(Expr x);

// sqrt(c / x) / sqrt(c), c a power of 4. Of -0: -inf.
// Errors: 0.85, 0.85; below 0.86 since the square root halves the error of the quotient.
Expr Rsqrt(Expr x);

// 2^(y log2 |x|). F32 in F64; F64 with log2 and the product in pairs of floats. Then the special
// cases: 1 for y = 0 or x = 1 whatever the other, NaN for x < 0 and y not integral, the sign of x
// for odd y, and the rest of IEEE 754's pow.
// Errors: 0.67, 1.18.
Expr Pow(Expr x, Expr y);

// The angle of the point (x, y), from -pi to pi, by the sign of zeros too: a polynomial in the
// smaller over the larger of |x| and |y|.
// Errors: 1.98, 1.59.
Expr Atan2(Expr y, Expr x);

// The angles of (1, x), of (sqrt(1 - x^2), x), and of (x, sqrt(1 - x^2)).
// Errors: below 3.
Expr Atan(Expr x);
Expr Asin(Expr x);
Expr Acos(Expr x);

}  // namespace sinter::emit
