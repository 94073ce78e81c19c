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
SINTER_API OpHandle IsPosInf(const Operand& operand);
SINTER_API OpHandle IsNegInf(const Operand& operand);
SINTER_API OpHandle IsInf(const Operand& operand);
SINTER_API OpHandle IsNan(const Operand& operand);

// Whatever has a product; a quotient.
SINTER_API OpHandle Square(const Operand& operand);
SINTER_API OpHandle Reciprocal(const Operand& operand);
// Coefficients from the highest power down; 0 without coefficients. Floats and complex numbers.
SINTER_API OpHandle EvaluatePolynomial(const Operand& x, absl::Span<const float> coefficients);

// Of floats; those narrower than F32 are computed in F32. Outside their domain NaN: Acos and Asin
// of |x| > 1, Acosh of x < 1, Atanh of |x| > 1.
SINTER_API OpHandle Acos(const Operand& x);
SINTER_API OpHandle Acosh(const Operand& x);
SINTER_API OpHandle Asin(const Operand& x);
SINTER_API OpHandle Asinh(const Operand& x);
SINTER_API OpHandle Atan(const Operand& x);
SINTER_API OpHandle Atanh(const Operand& x);
SINTER_API OpHandle Cosh(const Operand& x);
SINTER_API OpHandle Sinh(const Operand& x);

// XLA's other name of RoundNearestEven.
inline OpHandle RoundToEven(const Operand& x) { return RoundNearestEven(x); }
// Conj(x) of complex numbers if `conjugate`, else x.
SINTER_API OpHandle MaybeConjugate(const Operand& x, bool conjugate);

}  // namespace sinter
