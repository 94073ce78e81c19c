// Eigenvalues of symmetric matrices (xla/hlo/builder/lib/self_adjoint_eig.h).
//
//   sinter::SelfAdjointEigResult e = sinter::SelfAdjointEig(a);   // a v = v w
#pragma once

#include <cstdint>

#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// Of symmetric or Hermitian matrices a of [..., n, n], floats or complex numbers.
struct SelfAdjointEigResult {
  // [..., n, n]: the eigenvectors of length 1 as columns.
  Op v;
  // [..., n], floats: the eigenvalues in ascending order.
  Op w;
};
// Only the lower (or upper) triangle is read. Jacobi's method: at most `max_iter` sweeps, until
// what is off the diagonal has a norm of less than `tol` relative to the matrix's. Eigenvalues are
// always sorted.
SINTER_API SelfAdjointEigResult SelfAdjointEig(const Operand& a, bool lower = true,
                                               int64_t max_iter = 15, float tol = 1e-5,
                                               bool sort_eigenvalues = true);

}  // namespace sinter
