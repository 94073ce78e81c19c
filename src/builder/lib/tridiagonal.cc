#include "sinter/lib/tridiagonal.h"

#include "builder/lib/compose.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/slicing.h"

namespace sinter::tridiagonal {
namespace {

// Diagonals of `shape` of [..., 1, n] for a right side of [..., k, n].
absl::Status CheckDiagonal(std::string_view which, Op diagonal, const Shape& rhs, int64_t n) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(diagonal, 2));
  std::vector<int64_t> expected = rhs.dimensions();
  expected[expected.size() - 2] = 1;
  expected.back() = n;
  if (shape.dimensions() == expected && shape.element_type() == rhs.element_type())
    return absl::OkStatus();
  return InvalidArgument("the {} diagonal is {}, not {}", which, shape.ToString(),
                         Shape(rhs.element_type(), expected).ToString());
}

Op At(Op x, Op i) { return DynamicSliceInMinorDims(x, {i}, {1}); }
Op WithAt(Op x, Op i, Op value) { return DynamicUpdateSliceInMinorDims(x, value, {i}); }

// Runs `solve`, at the line of the operand's caller; its error becomes the builder's too.
template <class F>
absl::StatusOr<Op> Solved(std::string_view name, const Operand& operand, F solve) {
  if (operand.builder() == nullptr) return InvalidArgument("{}: an op without a builder", name);
  Op x = Compose(name, operand, solve);
  RETURN_IF_ERROR(operand.builder()->first_error());
  return x;
}

}  // namespace

absl::StatusOr<Op> TridiagonalSolver(SolverAlgorithm algo, const Operand& lower_diagonal,
                                     const Operand& main_diagonal, const Operand& upper_diagonal,
                                     const Operand& rhs) {
  return Solved("tridiagonal-solver", rhs, [&](Builder* b) -> absl::StatusOr<Op> {
    if (algo != kThomas) return Unimplemented("the algorithm {}", static_cast<int>(algo));
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(rhs.op(), 2));
    const int64_t n = shape.dimensions().back();
    RETURN_IF_ERROR(CheckDiagonal("lower", lower_diagonal.op(), shape, n));
    RETURN_IF_ERROR(CheckDiagonal("main", main_diagonal.op(), shape, n));
    RETURN_IF_ERROR(CheckDiagonal("upper", upper_diagonal.op(), shape, n));
    if (n == 0) return rhs.op();

    using Values = std::vector<Op>;
    // Each equation less a multiple of the one before, so that it begins on the diagonal.
    auto eliminate = [](Op before, absl::Span<const Op> v, Builder*) -> absl::StatusOr<Values> {
      Op i = before + 1;
      Op factor = At(v[2], i) / At(v[0], before);
      Op main = At(v[0], i) - factor * At(v[3], before);
      // The factor is of one row, the right side of several.
      Op right = At(v[1], i) - Mul(At(v[1], before), factor);
      return Values{WithAt(v[0], i, main), WithAt(v[1], i, right), v[2], v[3]};
    };
    ASSIGN_OR_RETURN(Values v, ForEachIndex(n - 1, ElementType::S32, eliminate,
                                            {main_diagonal.op(), rhs.op(), lower_diagonal.op(),
                                             upper_diagonal.op()},
                                            "eliminate", b));
    // From the last equation, which has one unknown, to the first.
    Op last = ConstantR0<int32_t>(b, static_cast<int32_t>(n - 1));
    Op x = WithAt(v[1], last, Div(At(v[1], last), At(v[0], last)));
    auto substitute = [n](Op step, absl::Span<const Op> w, Builder*) -> absl::StatusOr<Values> {
      Op i = (n - 2) - step;
      Op known = Mul(At(w[0], i + 1), At(w[2], i));
      return Values{WithAt(w[0], i, Div(At(w[0], i) - known, At(w[1], i))), w[1], w[2]};
    };
    ASSIGN_OR_RETURN(v, ForEachIndex(n - 1, ElementType::S32, substitute,
                                     {x, v[0], upper_diagonal.op()}, "substitute", b));
    return v[0];
  });
}

absl::StatusOr<Op> TridiagonalSolver(SolverAlgorithm algo, const Operand& diagonals,
                                     const Operand& rhs) {
  return Solved("tridiagonal-solver", rhs, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(diagonals.op(), 2));
    const int64_t rows = shape.rank() - 2;
    if (shape.dimension(rows) != 3)
      return InvalidArgument("the diagonals are {}, not three rows", shape.ToString());
    auto row = [&](int64_t i) { return SliceInDim(diagonals, i, i + 1, 1, rows); };
    ASSIGN_OR_RETURN(Op x,
                     TridiagonalSolver(algo, row(2), row(1), row(0), TransposeInMinorDims(rhs)));
    return TransposeInMinorDims(x);
  });
}

absl::StatusOr<Op> TridiagonalMatMul(const Operand& upper_diagonal, const Operand& main_diagonal,
                                     const Operand& lower_diagonal, const Operand& rhs) {
  return Solved("tridiagonal-mat-mul", rhs, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(rhs.op(), 2));
    const int64_t rows = shape.rank() - 2, n = shape.dimension(rows);
    RETURN_IF_ERROR(CheckDiagonal("upper", upper_diagonal.op(), shape, n));
    RETURN_IF_ERROR(CheckDiagonal("main", main_diagonal.op(), shape, n));
    RETURN_IF_ERROR(CheckDiagonal("lower", lower_diagonal.op(), shape, n));
    if (n == 0) return rhs.op();
    Op zero = Zero(b, shape.element_type());
    // A column of factors times the rows from `shift` on, which begin at row -shift then.
    auto part = [&](const Operand& diagonal, int64_t shift) {
      const int64_t from = std::max<int64_t>(-shift, 0), to = n - std::max<int64_t>(shift, 0);
      Op factors = TransposeInMinorDims(SliceInDim(diagonal, from, to, 1, rows + 1));
      Op product = Mul(SliceInDim(rhs, from + shift, to + shift, 1, rows), factors);
      return PadInDim(product, zero, rows, from, n - to);
    };
    return part(main_diagonal, 0) + part(upper_diagonal, 1) + part(lower_diagonal, -1);
  });
}

}  // namespace sinter::tridiagonal
