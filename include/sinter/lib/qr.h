// QR decompositions (xla/hlo/builder/lib/qr.h).
//
//   sinter::Op q, r;
//   sinter::QrExplicit(a, /*full_matrices=*/false, q, r);
#pragma once

#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// Of matrices a of [..., m, n], floats or complex numbers, with k = min(m, n): in q_and_r R on and
// above the diagonal, and below it the vectors v, whose 1 on the diagonal is not stored, of the
// reflections I - tau v v^H; taus, [..., k]. Q is the product of the reflections, in their order
// (LAPACK's geqrf).
struct QrDecomposition {
  Op q_and_r;
  Op taus;
};
SINTER_API QrDecomposition Qr(const Operand& a);

// The first n columns of the product of those reflections: `a` of [..., m, n], m >= n, holds the
// vectors below its diagonal, taus is [..., k] with k <= n (LAPACK's orgqr).
SINTER_API Op ProductOfElementaryHouseholderReflectors(const Operand& a, const Operand& taus);

// Q of [..., m, m] and R of [..., m, n] if `full_matrices`, else [..., m, k] and [..., k, n].
SINTER_API void QrExplicit(const Operand& a, bool full_matrices, Op& q, Op& r);

}  // namespace sinter
