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
// Errors are the largest over the whole range, in units in the last place of the result: "measured"
// for F32 over all 2^32 operands (two operands: 2^24 pairs), for F64 over samples. Multiply-adds
// are fused, so results are the same on every target. There are no branches by element and no
// tables, with one exception: Sin, Cos and Tan reduce huge operands in an `if` that a tile takes
// where one of its elements is huge.
//
// Polynomials are minimax fits of our own (minimax.py). Methods: fdlibm (Sun, 1993), W. J. Cody and
// W. Waite, Software Manual for the Elementary Functions (1980); J.-M. Muller, Elementary
// Functions, 3rd ed. (2016); others where they are used.
#pragma once

#include "codegen/kernel/builder.h"

namespace sinter::emit {

using kernel::Expr;

// 2^n times a polynomial of r = x - n ln 2, reduced by two constants. Measured: 0.89, 0.86 (F32,
// F64).
Expr Exp(Expr x);

// The same reduction; 2^n p + (2^n - 1), where p approximates expm1(r). Exact for tiny x, -0
// included. Measured: 1.48, 1.88.
Expr Expm1(Expr x);

// 1 / (1 + exp(-x)) by exp(-|x|), as 1 - q or e (1 - q) with q = e / (1 + e): no overflow, and
// results down to the denormals of exp(x). Measured: 1.59, 1.64.
Expr Logistic(Expr x);

// x = m 2^k with m in [3/4, 3/2); the leading terms of log(m) and k ln 2 are added last. F32: a
// polynomial in m - 1; F64: in s = (m - 1) / (m + 1), as in fdlibm. Bound 1; measured: 0.93, 0.80.
Expr Log(Expr x);

// The same for 1 + x, whose mantissa is found without rounding 1 + x. Keeps -0. Bound 1; measured:
// 0.93, 0.83.
Expr Log1p(Expr x);

// Reduction to an eighth of a turn (reduce.h: Cody and Waite's; above 2^17, F64 2^30, Payne and
// Hanek's), then both the sine's and the cosine's polynomial and a choice. Never beyond 1.
// Measured: 1.98, 1.90.
Expr Sin(Expr x);
Expr Cos(Expr x);

// The same reduction with what it rounds away, and one division, of which the polynomial is
// numerator or denominator. Measured: 2.00, 1.91.
Expr Tan(Expr x);

// N / (N + 1) for N = expm1(2 |x|) / 2, reduced as Exp; the quotient enters only as the smaller
// part. Measured: 1.62, 1.53.
Expr Tanh(Expr x);

// A polynomial in x^2 below about 1; above, 1 - 2^q with a polynomial q of |x| for log2 erfc (N.
// Juffa's way to do it). Measured: 1.58, 1.25.
Expr Erf(Expr x);

// A guess at x^(-1/3) from the bits, improved by a polynomial (F64: and a step of Newton's), times
// x, corrected by the residual; see L. Moroz et al., Fast Calculation of Cube and Inverse Cube
// Roots (2021). Measured: 0.93, 0.88.
Expr Cbrt(Expr x);

// sqrt(c / x) / sqrt(c), c a power of 4. Of -0: -inf. Bound 1; 0.86 follows from the roundings,
// measured 0.85, 0.85.
Expr Rsqrt(Expr x);

// 2^(y log2 |x|). F32 in F64; F64 with log2 and the product in pairs of floats. Then the special
// cases: 1 for y = 0 or x = 1 whatever the other, NaN for x < 0 and y not integral, the sign of x
// for odd y. Measured: 0.67, 1.18.
Expr Pow(Expr x, Expr y);

// The angle of the point (x, y), from -pi to pi, by the sign of zeros too: a polynomial in the
// smaller over the larger of |x| and |y|. Measured: 1.98, 1.59.
Expr Atan2(Expr y, Expr x);

}  // namespace sinter::emit
