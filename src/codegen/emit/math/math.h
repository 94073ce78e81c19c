// Elementary functions as kernel IR: what each target, and the interpreter, computes for them.
//
// Every function takes tiles of F32 or F64 of any shape and gives a tile of the same type. BF16 and F16 are the
// caller's: convert, call, round once. Special values are those of C99 Annex F; denormals are exact operands and
// correctly scaled results; NaN gives NaN. Errors are the largest ones over the whole range, in units in the last place
// of the result, as measured (F32: over all 2^32 arguments where there is one; F64: sampled); "n ops" counts kernel
// operations, F32 and F64.
//
// Nothing here branches by element. The one exception in control flow is the reduction of huge arguments of Sin, Cos
// and Tan, which is an `if` that a tile takes only when one of its elements is huge.
#pragma once

#include "codegen/kernel/builder.h"

namespace sinter::emit {

using kernel::Expr;

Expr Exp(Expr x);
Expr Expm1(Expr x);
Expr Logistic(Expr x);
Expr Log(Expr x);
Expr Log1p(Expr x);
Expr Sin(Expr x);
Expr Cos(Expr x);
Expr Tan(Expr x);
Expr Tanh(Expr x);
Expr Erf(Expr x);
Expr Cbrt(Expr x);
Expr Rsqrt(Expr x);
Expr Pow(Expr x, Expr y);
Expr Atan2(Expr y, Expr x);

}  // namespace sinter::emit
