// LU decompositions with partial pivoting (xla/hlo/builder/lib/lu_decomposition.h).
//
//   sinter::LuDecompositionResult d = sinter::LuDecomposition(a);
#pragma once

#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// Of matrices a of [..., m, n], floats or complex numbers: a = P L U.
struct LuDecompositionResult {
  // [..., m, n]: L below the diagonal, its diagonal is ones; U on and above it.
  Op lu;
  // S32[..., min(m, n)]: row i was exchanged with row pivots[i], counted from 0, in that order.
  Op pivots;
  // S32[..., m]: the rows of a in the order of those of L U.
  Op permutation;
};
SINTER_API LuDecompositionResult LuDecomposition(const Operand& a);

}  // namespace sinter
