// Determinants (xla/hlo/builder/lib/logdet.h).
//
//   sinter::SignAndLogDet d = sinter::SLogDet(a);   // det(a) = d.sign * exp(d.logdet)
#pragma once

#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

struct SignAndLogDet {
  Op sign;    // 1, -1 or 0; of complex numbers det / |det|
  Op logdet;  // log |det|, a float
};
// The determinants of square matrices in the last two dimensions, floats or complex numbers, by
// their QR decomposition. Of a singular matrix sign 0 and -inf, where rounding leaves R singular.
SINTER_API SignAndLogDet SLogDet(const Operand& a);
// log(det(a)) of floats, NaN where the determinant is negative.
SINTER_API Op LogDet(const Operand& a);

}  // namespace sinter
