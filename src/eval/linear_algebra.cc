// cholesky and triangular-solve: sums of products in long double, one rounding at the end.
#include <cmath>
#include <limits>

#include "eval/functions.h"
#include "eval/matrix.h"

namespace sinter::eval {
namespace {

// L with a = L L^H, read from a's lower triangle, which is NaN where there is none.
Matrix LowerFactor(Matrix& a) {
  const int64_t n = a.rows();
  Matrix l(n, n);
  for (int64_t j = 0; j < n; ++j) {
    long double pivot = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    if (!(pivot > 0)) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = 0; k <= i; ++k) l(i, k) = std::numeric_limits<long double>::quiet_NaN();
      }
      return l;
    }
    l(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      Wide sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * std::conj(l(j, k));
      l(i, j) = sum / l(j, j).real();
    }
  }
  return l;
}

// Quotients of real numbers as such: dividing by zero is no matter of complex numbers then.
Wide Quotient(Wide x, Wide y) {
  if (x.imag() == 0 && y.imag() == 0) return x.real() / y.real();
  return x / y;
}

}  // namespace

absl::StatusOr<Value> Cholesky(const Input& in) {
  const bool lower = in.instruction.attrs<CholeskyAttrs>().lower;
  const Literal& operand = in.array(0);
  Literal result = NewResult(in);
  if (result.shape().element_count() == 0) return Value(std::move(result));
  for (int64_t b = 0; b < MatrixCount(result.shape()); ++b) {
    Matrix a(operand, b);
    const int64_t n = a.rows();
    // a = U^H U is a = L L^H with L = U^H, and the lower triangle is the adjoint of the upper one.
    auto adjoint = [n](Matrix& x) {
      Matrix y(n, n);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) y(i, j) = std::conj(x(j, i));
      }
      return y;
    };
    if (!lower) a = adjoint(a);
    Matrix factor = LowerFactor(a);
    if (!lower) factor = adjoint(factor);
    factor.StoreTo(result, b);
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> TriangularSolve(const Input& in) {
  const auto& attrs = in.instruction.attrs<TriangularSolveAttrs>();
  Literal result = NewResult(in);
  if (result.shape().element_count() == 0) return Value(std::move(result));
  const bool transposed = attrs.transpose_a != MatrixTranspose::kNoTranspose;
  const bool conjugated = attrs.transpose_a == MatrixTranspose::kAdjoint;
  for (int64_t number = 0; number < MatrixCount(result.shape()); ++number) {
    Matrix a(in.array(0), number), x(in.array(1), number);
    const int64_t n = a.rows(), systems = attrs.left_side ? x.columns() : x.rows();
    // op(a), and whether its rows can be solved from the first to the last. Of x op(a) = b the
    // transpose is op(a)^T x^T = b^T.
    auto coefficient = [&](int64_t i, int64_t j) {
      const Wide c = transposed == attrs.left_side ? a(j, i) : a(i, j);
      return conjugated ? std::conj(c) : c;
    };
    const bool forward = attrs.lower == (transposed != attrs.left_side);
    for (int64_t s = 0; s < systems; ++s) {
      auto at = [&](int64_t i) -> Wide& { return attrs.left_side ? x(i, s) : x(s, i); };
      for (int64_t step = 0; step < n; ++step) {
        const int64_t i = forward ? step : n - 1 - step;
        for (int64_t done = 0; done < step; ++done) {
          const int64_t j = forward ? done : n - 1 - done;
          at(i) -= coefficient(i, j) * at(j);
        }
        if (!attrs.unit_diagonal) at(i) = Quotient(at(i), coefficient(i, i));
      }
    }
    x.StoreTo(result, number);
  }
  return Value(std::move(result));
}

}  // namespace sinter::eval
