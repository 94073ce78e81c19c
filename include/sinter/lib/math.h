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

// Of floats; those narrower than F32 are computed in F32. Outside their domain NaN: Acos and Asin
// of |x| > 1, Acosh of x < 1, Atanh of |x| > 1.
SINTER_API Op Acos(const Operand& x);
SINTER_API Op Acosh(const Operand& x);
SINTER_API Op Asin(const Operand& x);
SINTER_API Op Asinh(const Operand& x);
SINTER_API Op Atan(const Operand& x);
SINTER_API Op Atanh(const Operand& x);
SINTER_API Op Cosh(const Operand& x);
SINTER_API Op Sinh(const Operand& x);

// XLA's other name of RoundNearestEven.
inline Op RoundToEven(const Operand& x) { return RoundNearestEven(x); }
// Conj(x) of complex numbers if `conjugate`, else x.
SINTER_API Op MaybeConjugate(const Operand& x, bool conjugate);

}  // namespace sinter
