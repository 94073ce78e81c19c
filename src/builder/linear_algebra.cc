// Factorizations and solvers.

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {

Op Cholesky(const Operand& a, bool lower) {
  return Record({&a}, Name(HloOpcode::Cholesky),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(a.op()));
                  return r.Add(HloOpcode::Cholesky, {x}, CholeskyAttrs{lower});
                });
}

Op TriangularSolve(const Operand& a, const Operand& b, bool left_side, bool lower,
                   bool unit_diagonal, MatrixTranspose transpose_a) {
  return Record({&a, &b}, Name(HloOpcode::TriangularSolve),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(a.op()));
                  ASSIGN_OR_RETURN(HloInstruction * y, r.Find(b.op()));
                  return r.Add(HloOpcode::TriangularSolve, {x, y},
                               TriangularSolveAttrs{left_side, lower, unit_diagonal, transpose_a});
                });
}

}  // namespace sinter
