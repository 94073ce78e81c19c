// Shape rules of factorizations and solvers.

#include "ir/ops/rule.h"

namespace sinter::infer {

absl::StatusOr<Shape> Cholesky(const InferInput& in) {
  const Shape& a = in.operand(0);
  const int64_t rank = a.rank();
  REQUIRE(rank >= 2, "(C2) the operand must have a rank of 2 or more, not {}", rank);
  REQUIRE(a.dimension(rank - 2) == a.dimension(rank - 1), "(C3) matrices of {} x {} are not square",
          a.dimension(rank - 2), a.dimension(rank - 1));
  return MakeResult(a.element_type(), a.dimensions());
}

absl::StatusOr<Shape> TriangularSolve(const InferInput& in) {
  const auto& attrs = in.as<TriangularSolveAttrs>();
  const Shape &a = in.operand(0), &b = in.operand(1);
  REQUIRE(b.is_array() && a.element_type() == b.element_type(),
          "(C1) the operands must have one element type");
  const int64_t rank = a.rank();
  REQUIRE(rank >= 2 && rank == b.rank(),
          "(C2) the operands must have one rank of 2 or more, not {} and {}", rank, b.rank());
  for (int64_t d = 0; d + 2 < rank; ++d) {
    REQUIRE(a.dimension(d) == b.dimension(d), "(C3) batch dimension {} is {} and {}", d,
            a.dimension(d), b.dimension(d));
  }
  const int64_t n = a.dimension(rank - 1), side = attrs.left_side ? rank - 2 : rank - 1;
  REQUIRE(a.dimension(rank - 2) == n, "(C3) matrices of {} x {} are not square",
          a.dimension(rank - 2), n);
  REQUIRE(b.dimension(side) == n, "(C3) dimension {} of the right-hand sides is {}, not {}", side,
          b.dimension(side), n);
  return MakeResult(b.element_type(), b.dimensions());
}

}  // namespace sinter::infer
