// Decompositions of matrices that are custom calls (ir/decomposition_call.h), and what is made of
// them.

#include <algorithm>
#include <limits>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/logdet.h"
#include "sinter/lib/lu_decomposition.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/qr.h"
#include "sinter/lib/self_adjoint_eig.h"
#include "sinter/lib/slicing.h"

namespace sinter {
namespace {

struct FloatMatrices {
  Shape shape;
  int64_t rows, columns, least;

  // [..., n].
  Shape Vectors(ElementType type, int64_t n) const {
    std::vector<int64_t> dimensions = shape.dimensions();
    dimensions.pop_back();
    dimensions.back() = n;
    return Shape(type, dimensions);
  }
};
absl::StatusOr<FloatMatrices> FloatMatricesOf(Op a) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(a, 2));
  const ElementType type = shape.element_type();
  if (!IsFloat(type) && !IsComplex(type))
    return InvalidArgument("{} is not of floats or complex numbers", shape.ToString());
  const int64_t m = shape.dimension(shape.rank() - 2), n = shape.dimension(shape.rank() - 1);
  return FloatMatrices{shape, m, n, std::min(m, n)};
}

absl::Status CheckSquare(const FloatMatrices& m) {
  if (m.rows == m.columns) return absl::OkStatus();
  return InvalidArgument("{} is not square", m.shape.ToString());
}

}  // namespace

QrDecomposition Qr(const Operand& a) {
  Op both = Compose("qr", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    const Shape taus = m.Vectors(m.shape.element_type(), m.least);
    return CustomCall(b, "Qr", {a.op()}, Shape::Tuple({m.shape, taus}));
  });
  return {GetTupleElement(both, 0), GetTupleElement(both, 1)};
}

Op ProductOfElementaryHouseholderReflectors(const Operand& a, const Operand& taus) {
  return Compose("product-of-elementary-householder-reflectors", a,
                 [&](Builder* b) -> absl::StatusOr<Op> {
                   ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
                   ASSIGN_OR_RETURN(Shape given, ArrayShape(taus.op(), 1));
                   const int64_t count = given.dimensions().back();
                   if (m.rows < m.columns)
                     return InvalidArgument("{} has fewer rows than columns", m.shape.ToString());
                   if (count > m.columns ||
                       !Shape::Compatible(given, m.Vectors(m.shape.element_type(), count))) {
                     return InvalidArgument("taus {} for {}", given.ToString(), m.shape.ToString());
                   }
                   return CustomCall(b, "ProductOfElementaryHouseholderReflectors",
                                     {a.op(), taus.op()}, m.shape);
                 });
}

void QrExplicit(const Operand& a, bool full_matrices, Op& q, Op& r) {
  Op result_r;
  q = Compose("qr-explicit", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    const int64_t rows = m.rows, k = m.least;
    QrDecomposition qr = Qr(a);
    // The vectors, and, for all columns of Q, columns without a vector beside them.
    Op vectors = SliceInMinorDims(qr.q_and_r, {0, 0}, {rows, k});
    Op upper = qr.q_and_r;
    if (full_matrices) {
      vectors = PadInDim(vectors, Zero(b, m.shape.element_type()), m.shape.rank() - 1, 0, rows - k);
    } else {
      upper = SliceInMinorDims(upper, {0, 0}, {k, m.columns});
    }
    result_r = UpperTriangle(upper);
    return ProductOfElementaryHouseholderReflectors(vectors, qr.taus);
  });
  r = result_r.IsUninitialized() ? q : result_r;
}

LuDecompositionResult LuDecomposition(const Operand& a) {
  Op all = Compose("lu-decomposition", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    const Shape result = Shape::Tuple(
        {m.shape, m.Vectors(ElementType::S32, m.least), m.Vectors(ElementType::S32, m.rows)});
    return CustomCall(b, "LuDecomposition", {a.op()}, result);
  });
  return {GetTupleElement(all, 0), GetTupleElement(all, 1), GetTupleElement(all, 2)};
}

SelfAdjointEigResult SelfAdjointEig(const Operand& a, bool lower, int64_t max_iter, float tol,
                                    bool sort_eigenvalues) {
  Op both = Compose("self-adjoint-eig", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    RETURN_IF_ERROR(CheckSquare(m));
    if (max_iter < 0 || !(tol >= 0))
      return InvalidArgument("{} sweeps with a tolerance of {}", max_iter, tol);
    const Shape values = m.Vectors(RealPart(m.shape.element_type()), m.rows);
    const std::string config =
        Format("{:d},{:d},{},{}", lower, sort_eigenvalues, max_iter, static_cast<double>(tol));
    return CustomCall(b, "Eigh", {a.op()}, Shape::Tuple({m.shape, values}), config);
  });
  return {GetTupleElement(both, 0), GetTupleElement(both, 1)};
}

SignAndLogDet SLogDet(const Operand& a) {
  SignAndLogDet result;
  result.sign = Compose("slogdet", a, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    RETURN_IF_ERROR(CheckSquare(m));
    const ElementType type = m.shape.element_type();
    const int64_t last = m.shape.rank() - 2;
    QrDecomposition qr = Qr(a);
    Op diagonal = GetMatrixDiagonal(qr.q_and_r);
    auto product = [&](Op factors) {
      return Reduce(factors, One(b, type), CreateScalarMultiplyComputation(type, b), {last});
    };
    // The determinant of a reflection, 1 - tau |v|^2, is -1 but where tau is 0; of complex numbers
    // it is some number of modulus 1.
    Op reflections;
    if (IsComplex(type)) {
      Op below = Select(TriangleMask(qr.q_and_r, -1), qr.q_and_r, ZerosLike(qr.q_and_r));
      Op squares = Real(below * Conj(below));
      const ElementType real = RealPart(type);
      Op lengths = Reduce(squares, Zero(b, real), CreateScalarAddComputation(real, b), {last}) + 1;
      reflections = Sign(1 - qr.taus * Complex(lengths, ZerosLike(lengths)));
    } else {
      Op is_one = Eq(qr.taus, ZerosLike(qr.taus));
      reflections = Select(is_one, OnesLike(qr.taus), FullLike(qr.taus, -1));
    }
    const ElementType real = IsComplex(type) ? RealPart(type) : type;
    result.logdet =
        Reduce(Log(Abs(diagonal)), Zero(b, real), CreateScalarAddComputation(real, b), {last});
    return product(Sign(diagonal)) * product(reflections);
  });
  if (result.logdet.IsUninitialized()) result.logdet = result.sign;
  return result;
}

Op LogDet(const Operand& a) {
  return Compose("logdet", a, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(FloatMatrices m, FloatMatricesOf(a.op()));
    if (IsComplex(m.shape.element_type()))
      return InvalidArgument("{} is not of floats", m.shape.ToString());
    SignAndLogDet d = SLogDet(a);
    return Select(Lt(d.sign, ZerosLike(d.sign)),
                  FullLike(d.logdet, std::numeric_limits<double>::quiet_NaN()), d.logdet);
  });
}

}  // namespace sinter
