#include "sinter/lib/matrix.h"

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/math.h"

namespace sinter {
namespace {

struct Matrices {
  Shape shape;
  int64_t rank, rows, columns;

  Shape OfType(ElementType type) const { return WithType(shape, type); }
};
absl::StatusOr<Matrices> MatricesOf(Op x) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(x, 2));
  const int64_t rank = shape.rank();
  return Matrices{shape, rank, shape.dimension(rank - 2), shape.dimension(rank - 1)};
}

int64_t DiagonalLength(const Matrices& m, int k) {
  return std::max<int64_t>(0, std::min(m.rows + std::min(k, 0), m.columns - std::max(k, 0)));
}

// compare(row + diagonal, column) at each element.
template <class F>
Op ComparePositions(std::string_view name, const Operand& x, int diagonal, F compare) {
  return Compose(name, x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(x.op()));
    const Shape positions = m.OfType(ElementType::S32);
    return compare(Iota(b, positions, m.rank - 2) + diagonal, Iota(b, positions, m.rank - 1));
  });
}

}  // namespace

Op IdentityMatrix(Builder* builder, ElementType type, int64_t m, int64_t n) {
  const Shape positions(ElementType::U32, {m, n});
  return ConvertElementType(Eq(Iota(builder, positions, 0), Iota(builder, positions, 1)), type);
}

Op GetDiagonalMask(const Operand& x, int diagonal) {
  return ComparePositions("get-diagonal-mask", x, diagonal,
                          [](Op row, Op column) { return Eq(row, column); });
}
Op TriangleMask(const Operand& x, int diagonal) {
  return ComparePositions("triangle-mask", x, diagonal,
                          [](Op row, Op column) { return Ge(row, column); });
}

Op GetMatrixDiagonal(const Operand& x, int k) {
  return Compose("get-matrix-diagonal", x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(x.op()));
    // All but the diagonal is zeros: of each column (of each row where it begins lower) the sum
    // is the element, cut to the rows and columns that it meets.
    const int64_t d = DiagonalLength(m, k), row = std::max(-k, 0), column = std::max(k, 0);
    if (d == 0) {
      std::vector<int64_t> none = m.shape.dimensions();
      none.pop_back();
      none.back() = 0;
      return Zeros(b, Shape(m.shape.element_type(), none));
    }
    Op cut = SliceInDim(x, row, row + d, 1, m.rank - 2);
    cut = SliceInDim(cut, column, column + d, 1, m.rank - 1);
    Op zero = Zero(b, m.shape.element_type());
    return Reduce(Select(GetDiagonalMask(cut), cut, ZerosLike(cut)), zero,
                  CreateScalarIdentityWithZeroComputation(m.shape.element_type(), b), {m.rank - 1});
  });
}

Op GetMatrixDiagonalViaGather(const Operand& x, int k) {
  return Compose("get-matrix-diagonal-via-gather", x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(x.op()));
    const int64_t d = DiagonalLength(m, k);
    const Shape column(ElementType::S32, {d, 1});
    Op rows = Iota(b, column, 0) + std::max(-k, 0);
    Op columns = Iota(b, column, 0) + std::max(k, 0);
    GatherDimensionNumbers numbers;
    std::vector<int64_t> sizes = m.shape.dimensions();
    numbers.offset_dims = Count(m.rank - 2);
    numbers.collapsed_slice_dims = numbers.start_index_map = {m.rank - 2, m.rank - 1};
    numbers.index_vector_dim = 1;
    for (int64_t i : numbers.start_index_map) {
      int64_t& size = sizes[static_cast<size_t>(i)];
      size = std::min<int64_t>(size, 1);
    }
    return Gather(x, ConcatInDim(b, {rows, columns}, 1), numbers, sizes,
                  /*indices_are_sorted=*/true);
  });
}

Op SetMatrixDiagonal(const Operand& matrix, const Operand& diag, int k) {
  return Compose("set-matrix-diagonal", matrix, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(matrix.op()));
    ASSIGN_OR_RETURN(Shape given, ArrayShape(diag.op()));
    std::vector<int64_t> expected = m.shape.dimensions();
    expected.pop_back();
    const int64_t d = DiagonalLength(m, k);
    expected.back() = d;
    if (given.dimensions() != expected) {
      return InvalidArgument("{} as diagonal {} of {}", given.ToString(), k, m.shape.ToString());
    }
    // A value for each row, beside which the diagonal stands.
    const int64_t row = std::max(-k, 0);
    Op values = PadInDim(diag, Zero(b, m.shape.element_type()), m.rank - 2, row, m.rows - d - row);
    values = BroadcastInDim(values, m.shape.dimensions(), Count(m.rank - 1));
    return Select(GetDiagonalMask(matrix, k), values, matrix);
  });
}

Op Triangle(const Operand& x, bool lower) {
  return Compose("triangle", x, [&](Builder*) -> absl::StatusOr<Op> {
    if (lower) return Select(TriangleMask(x, 0), x, ZerosLike(x));
    return Select(TriangleMask(x, -1), ZerosLike(x), x);
  });
}
Op UpperTriangle(const Operand& x) { return Triangle(x, false); }
Op LowerTriangle(const Operand& x) { return Triangle(x, true); }

Op Symmetrize(const Operand& x, bool lower) {
  return Compose("symmetrize", x, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(x.op()));
    if (m.rows != m.columns) return InvalidArgument("{} is not square", m.shape.ToString());
    Op mine = x.op();
    if (IsComplex(m.shape.element_type())) {
      Op real = Real(x);
      mine = Select(GetDiagonalMask(x), Complex(real, ZerosLike(real)), x);
    }
    Op inside = lower ? TriangleMask(x, 0) : Not(TriangleMask(x, -1));
    return Select(inside, mine, MaybeConjugate(TransposeInMinorDims(mine), true));
  });
}

Op BatchDot(const Operand& x, const Operand& y, Precision precision,
            std::optional<ElementType> preferred_element_type) {
  return BatchDot(x, false, y, false, precision, preferred_element_type);
}
Op BatchDot(const Operand& x, bool transpose_x, const Operand& y, bool transpose_y,
            Precision precision, std::optional<ElementType> preferred_element_type, bool grad_x,
            bool grad_y) {
  const std::string labels =
      Format("...{},...{}->...mn", transpose_x ? "km" : "mk", transpose_y ? "nk" : "kn");
  return Einsum(x, y, labels, precision, preferred_element_type, grad_x, grad_y);
}

Op TransposeInMinorDims(const Operand& x) {
  return Compose("transpose-in-minor-dims", x, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Matrices m, MatricesOf(x.op()));
    std::vector<int64_t> permutation = Count(m.rank);
    std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
    return Transpose(x, permutation);
  });
}
Op MaybeTransposeInMinorDims(const Operand& x, bool transpose) {
  return transpose ? TransposeInMinorDims(x) : x.op();
}

}  // namespace sinter
