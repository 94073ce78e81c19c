// Systems of equations with three diagonals (xla/hlo/builder/lib/tridiagonal.h).
//
//   absl::StatusOr<sinter::Op> x = sinter::tridiagonal::TridiagonalSolver(
//       sinter::tridiagonal::kThomas, lower, main, upper, rhs);
#pragma once

#include "absl/status/statusor.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter::tridiagonal {

// Elimination without pivoting and substitution back: stable where the matrix is diagonally
// dominant (L. Thomas, Elliptic Problems in Linear Difference Equations over a Network, 1949).
enum SolverAlgorithm { kThomas };

// x with lower[i] x[i-1] + main[i] x[i] + upper[i] x[i+1] = rhs[i] for n equations. The diagonals
// are [..., 1, n]; lower[0] and upper[n-1] are ignored. rhs and the result are [..., k, n], a
// system for each of the k. Floats and complex numbers. InvalidArgument where shapes do not fit.
SINTER_API absl::StatusOr<Op> TridiagonalSolver(SolverAlgorithm algo, const Operand& lower_diagonal,
                                                const Operand& main_diagonal,
                                                const Operand& upper_diagonal, const Operand& rhs);
// The same with the diagonals, upper, main and lower, as the rows of [..., 3, n], and rhs and the
// result [..., n, k].
SINTER_API absl::StatusOr<Op> TridiagonalSolver(SolverAlgorithm algo, const Operand& diagonals,
                                                const Operand& rhs);
// XLA's names of before.
inline absl::StatusOr<Op> ThomasSolver(const Operand& lower_diagonal, const Operand& main_diagonal,
                                       const Operand& upper_diagonal, const Operand& rhs) {
  return TridiagonalSolver(kThomas, lower_diagonal, main_diagonal, upper_diagonal, rhs);
}
inline absl::StatusOr<Op> ThomasSolver(const Operand& diagonals, const Operand& rhs) {
  return TridiagonalSolver(kThomas, diagonals, rhs);
}

// The matrix times rhs, [..., n, k]; the diagonals [..., 1, n] as above.
SINTER_API absl::StatusOr<Op> TridiagonalMatMul(const Operand& upper_diagonal,
                                                const Operand& main_diagonal,
                                                const Operand& lower_diagonal, const Operand& rhs);

}  // namespace sinter::tridiagonal
