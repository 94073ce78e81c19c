#include "record.h"

namespace sinter {
namespace {

TEST_CASE("cholesky") {
  Builder b("t");
  Cholesky(Param(b, 0, kF32, {2, 3, 3}), true);
  CHECK(Body(b) == "ROOT cholesky = f32[2,3,3] cholesky(x), lower=true");
  Cholesky(Param(b, 0, ElementType::C64, {3, 3}), false);
  CHECK(Body(b) == "ROOT cholesky = c64[3,3] cholesky(x)");
  Cholesky(Param(b, 0, kF32, {3, 2}), true);
  CHECK(ErrorOf(b) == "cholesky: (C3) matrices of 3 x 2 are not square; operands f32[3,2]");
}

TEST_CASE("triangular-solve") {
  Builder b("t");
  Op a = Param(b, 0, kF32, {3, 3});
  TriangularSolve(a, a, true, false, true, TriangularSolveOptions::ADJOINT);
  CHECK(Body(b) ==
        "ROOT triangular-solve = f32[3,3] triangular-solve(x, x), left_side=true, "
        "unit_diagonal=true, transpose_a=ADJOINT");
  a = Param(b, 0, kF32, {3, 3});
  TriangularSolve(a, a, false, true, false, MatrixTranspose::kNoTranspose);
  CHECK(Body(b) ==
        "ROOT triangular-solve = f32[3,3] triangular-solve(x, x), lower=true, "
        "transpose_a=NO_TRANSPOSE");
}

}  // namespace
}  // namespace sinter
