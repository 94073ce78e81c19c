// Singular values (xla/hlo/builder/lib/svd.h).
//
//   sinter::SVDResult s = sinter::SVD(a);   // a = u diag(d) v^T
#pragma once

#include <cstdint>

#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/op_options.h"

namespace sinter {

// Of matrices a of [..., m, n], floats.
struct SVDResult {
  Op u;  // [..., m, m], orthogonal; its columns are the left singular vectors
  Op d;  // [..., min(m, n)], the singular values from the largest down
  Op v;  // [..., n, n], orthogonal; its columns are the right singular vectors
};
// Rotations of pairs of columns until all are orthogonal (M. Hestenes, Inversion of Matrices by
// Biorthogonalization and Related Results, J. SIAM 6, 1958): at most `max_iter` sweeps over all
// pairs, the last of which has met no cosine of an angle between columns above `epsilon`, nor above
// what makes the next ones smaller than rounding. `precision` is that of XLA's dots; there are none
// here. Types
// narrower than F32 are computed in F32.
SINTER_API SVDResult SVD(const Operand& a, int64_t max_iter = 100, float epsilon = 1e-6,
                         Precision precision = Precision::kHighest);

}  // namespace sinter
