#include "sinter/lib/svd.h"

#include <algorithm>
#include <cmath>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/comparators.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/qr.h"
#include "sinter/lib/slicing.h"

namespace sinter {
namespace {

// Columns in two rows of `half`: those that stand one above the other are a pair. They move on by
// one place around the rows, but for the first, so that after 2 half - 1 steps each has met each
// and stands where it began (R. Brent, F. Luk, The solution of singular-value and symmetric
// eigenvalue problems on multiprocessor arrays, 1985).
struct Columns {
  Op upper, lower;  // [..., rows, half]
};

struct Matrix {
  Builder* builder;
  ElementType type;
  int64_t rank, rows, half;  // rows: of the matrix itself, above what is rotated along with it

  Op Cut(Op x, int64_t from, int64_t to) const { return SliceInDim(x, from, to, 1, rank - 1); }
  Columns Moved(const Columns& c) const {
    if (half == 1) return c;
    Op upper = ConcatInDim(
        builder, {Cut(c.upper, 0, 1), Cut(c.lower, 0, 1), Cut(c.upper, 1, half - 1)}, rank - 1);
    Op lower =
        ConcatInDim(builder, {Cut(c.lower, 1, half), Cut(c.upper, half - 1, half)}, rank - 1);
    return {upper, lower};
  }
  // Products of columns with columns, [..., 1, half].
  Op Products(Op x, Op y) const {
    Op own = SliceInDim(x * y, 0, rows, 1, rank - 2);
    Op sums =
        Reduce(own, Zero(builder, type), CreateScalarAddComputation(type, builder), {rank - 2});
    return BroadcastInDim(sums, WithRows(sums, 1), Kept());
  }
  std::vector<int64_t> WithRows(Op sums, int64_t n) const {
    std::vector<int64_t> sizes = sums.shape().value_or(Shape()).dimensions();
    sizes.insert(sizes.end() - 1, n);
    return sizes;
  }
  std::vector<int64_t> Kept() const {
    std::vector<int64_t> kept = Count(rank - 1);
    kept.back() = rank - 1;
    return kept;
  }
};

// Rotates each pair so that its columns are orthogonal; `worst` becomes the largest cosine met.
Columns Rotated(const Matrix& m, const Columns& c, Op& worst) {
  Op x = m.Products(c.upper, c.upper), y = m.Products(c.lower, c.lower);
  Op product = m.Products(c.upper, c.lower);
  Op lengths = Sqrt(x) * Sqrt(y);
  Op is_null = Eq(product, 0);
  Op cosine = Select(is_null, ZerosLike(product), Abs(product) / lengths);
  worst = Max(worst, ReduceAll(cosine, Zero(m.builder, m.type),
                               CreateScalarMaxComputation(m.type, m.builder)));
  // The tangent of the smaller of the two angles that do.
  Op tau = (y - x) / (product * 2);
  Op tangent =
      Select(Lt(tau, 0), FullLike(tau, -1), OnesLike(tau)) / (Abs(tau) + Sqrt(tau * tau + 1));
  tangent = Select(is_null, ZerosLike(tangent), tangent);
  Op cos = Rsqrt(tangent * tangent + 1);
  Op sin = tangent * cos;
  return {c.upper * cos - c.lower * sin, c.upper * sin + c.lower * cos};
}

// The smallest cosine that matters: after a sweep that has met no larger one, those left are about
// its square.
double Tolerance(ElementType type, int64_t rows, float epsilon) {
  const double unit = type == ElementType::F64 ? 0x1p-52 : 0x1p-23;
  const double noise = 4 * unit * std::sqrt(static_cast<double>(rows));
  return std::max(noise, std::min<double>(epsilon, std::pow(unit, 0.75)));
}

// a of m >= n: the same matrix with orthogonal columns, and the rotation that makes them so.
absl::StatusOr<Columns> Orthogonalized(Builder* b, Op a, const Shape& shape, int64_t max_iter,
                                       double tolerance) {
  const int64_t rank = shape.rank(), rows = shape.dimension(rank - 2),
                n = shape.dimension(rank - 1);
  std::vector<int64_t> batch(shape.dimensions().begin(), shape.dimensions().end() - 2);
  const int64_t padded = n + n % 2;
  Op identity = Broadcast(IdentityMatrix(b, shape.element_type(), n, n), batch);
  Op both = ConcatInDim(b, {a, identity}, rank - 2);
  // A column of zeros has no part in rotations.
  both = PadInDim(both, Zero(b, shape.element_type()), rank - 1, 0, padded - n);
  const Matrix m{b, shape.element_type(), rank, rows, padded / 2};

  auto condition = [&](absl::Span<const Op> v, Builder*) -> absl::StatusOr<Op> {
    return And(Lt(v[0], max_iter), Gt(v[1], tolerance));
  };
  auto sweep = [&](absl::Span<const Op> v, Builder* outer) -> absl::StatusOr<std::vector<Op>> {
    auto step = [&](Op, absl::Span<const Op> w, Builder* inner) -> absl::StatusOr<std::vector<Op>> {
      Matrix here = m;
      here.builder = inner;
      Op worst = w[0];
      Columns c = here.Moved(Rotated(here, {w[1], w[2]}, worst));
      return std::vector<Op>{worst, c.upper, c.lower};
    };
    ASSIGN_OR_RETURN(std::vector<Op> w,
                     ForEachIndex(std::max<int64_t>(padded - 1, 1), ElementType::S32, step,
                                  {ZerosLike(v[1]), v[2], v[3]}, "svd-step", outer));
    return std::vector<Op>{v[0] + 1, w[0], w[1], w[2]};
  };
  ASSIGN_OR_RETURN(std::vector<Op> v,
                   WhileLoopHelper(condition, sweep,
                                   {Zero(b, ElementType::S32), One(b, shape.element_type()),
                                    m.Cut(both, 0, m.half), m.Cut(both, m.half, padded)},
                                   "svd", b));
  both = m.Cut(ConcatInDim(b, {v[2], v[3]}, rank - 1), 0, n);
  auto part = [&](int64_t from, int64_t to) { return SliceInDim(both, from, to, 1, rank - 2); };
  return Columns{part(0, rows), part(rows, rows + n)};
}

absl::StatusOr<SVDResult> Decomposed(Builder* b, Op a, Shape shape, int64_t max_iter,
                                     float epsilon) {
  const ElementType type = shape.element_type();
  const int64_t rank = shape.rank(), rows = shape.dimension(rank - 2),
                n = shape.dimension(rank - 1);
  // The largest element becomes 1, so that squares neither overflow nor vanish.
  std::vector<int64_t> matrix = {rank - 2, rank - 1};
  Op scale = Reduce(Abs(a), Zero(b, type), CreateScalarMaxComputation(type, b), matrix);
  scale = Select(Eq(scale, 0), OnesLike(scale), scale);
  const std::vector<int64_t> outer = Count(rank - 2);
  a = Div(a, BroadcastInDim(scale, shape.dimensions(), outer));
  ASSIGN_OR_RETURN(Columns c,
                   Orthogonalized(b, a, shape, max_iter, Tolerance(type, rows, epsilon)));

  // The lengths are the singular values: in descending order, each column with its own.
  Op lengths = Sqrt(
      Reduce(c.upper * c.upper, Zero(b, type), CreateScalarAddComputation(type, b), {rank - 2}));
  std::vector<int64_t> beside = Count(rank - 1);
  beside.back() = rank - 1;
  Op columns = ConcatInDim(b, {c.upper, c.lower}, rank - 2);
  std::vector<int64_t> sizes = shape.dimensions();
  sizes[static_cast<size_t>(rank - 2)] = rows + n;
  Op keys = BroadcastInDim(lengths, sizes, beside);
  Op sorted = Sort({keys, columns}, CreateScalarGtComputation({type, type}, b), rank - 1,
                   /*is_stable=*/true);
  columns = GetTupleElement(sorted, 1);
  auto part = [&](int64_t from, int64_t to) { return SliceInDim(columns, from, to, 1, rank - 2); };
  Op image = part(0, rows), v = part(rows, rows + n);
  Op d = Reshape(SliceInDim(GetTupleElement(sorted, 0), 0, 1, 1, rank - 2),
                 lengths.shape().value_or(Shape()).dimensions());

  // Q of the columns are the left vectors, up to signs, and completes them to a basis. R is
  // diagonal.
  Op q, r;
  QrExplicit(image, /*full_matrices=*/true, q, r);
  Op signs = Select(Lt(GetMatrixDiagonal(r), 0), FullLike(d, -1), OnesLike(d));
  signs = PadInDim(signs, One(b, type), rank - 2, 0, rows - n);
  std::vector<int64_t> square = shape.dimensions();
  square.back() = rows;
  Op u = q * BroadcastInDim(signs, square, beside);
  return SVDResult{
      u, Mul(d, BroadcastInDim(scale, lengths.shape().value_or(Shape()).dimensions(), outer)), v};
}

}  // namespace

SVDResult SVD(const Operand& a, int64_t max_iter, float epsilon, Precision) {
  SVDResult result;
  result.u = Compose("svd", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(a.op(), 2));
    const ElementType type = shape.element_type();
    if (!IsFloat(type)) return InvalidArgument("{} is not of floats", shape.ToString());
    if (shape.element_count() == 0) return InvalidArgument("{} is empty", shape.ToString());
    const bool narrow = BitWidth(type) < 32;
    Op x = narrow ? ConvertElementType(a, ElementType::F32) : a.op();
    if (narrow) shape.set_element_type(ElementType::F32);
    const bool wide = shape.dimension(shape.rank() - 2) < shape.dimension(shape.rank() - 1);
    if (wide) {
      x = TransposeInMinorDims(x);
      ASSIGN_OR_RETURN(shape, ArrayShape(x));
    }
    ASSIGN_OR_RETURN(result, Decomposed(b, x, shape, max_iter, epsilon));
    if (wide) std::swap(result.u, result.v);
    for (Op* part : {&result.u, &result.d, &result.v}) {
      if (narrow) *part = ConvertElementType(*part, type);
    }
    return result.u;
  });
  if (result.d.IsUninitialized()) result.d = result.v = result.u;
  return result;
}

}  // namespace sinter
