#include "eval/decompositions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/matrix.h"

namespace sinter::eval {
namespace {

// (I - tau v v^H) a from the left, on columns `first` and later; v is column `j` of `reflections`
// with zeros above the diagonal and 1 on it.
void Reflect(Matrix& reflections, int64_t j, Wide tau, Matrix& a, int64_t first) {
  auto v = [&](int64_t i) { return i == j ? Wide(1) : reflections(i, j); };
  for (int64_t c = first; c < a.columns(); ++c) {
    Wide sum = 0;
    for (int64_t i = j; i < a.rows(); ++i) sum += std::conj(v(i)) * a(i, c);
    for (int64_t i = j; i < a.rows(); ++i) a(i, c) -= tau * v(i) * sum;
  }
}

// Golub and Van Loan, Matrix Computations, 5.2.2, with LAPACK's choice of signs.
void Qr(Matrix& a, Matrix& taus) {
  for (int64_t j = 0; j < taus.columns(); ++j) {
    const Wide alpha = a(j, j);
    long double below = 0;
    for (int64_t i = j + 1; i < a.rows(); ++i) below += std::norm(a(i, j));
    if (below == 0 && alpha.imag() == 0) continue;  // tau is 0
    const long double norm = std::sqrt(std::norm(alpha) + below);
    const long double beta = alpha.real() >= 0 ? -norm : norm;
    const Wide tau = (beta - alpha) / beta;
    for (int64_t i = j + 1; i < a.rows(); ++i) a(i, j) /= alpha - beta;
    Reflect(a, j, std::conj(tau), a, j + 1);
    a(j, j) = beta;
    taus(0, j) = tau;
  }
}

Matrix HouseholderProduct(Matrix& reflections, Matrix& taus) {
  Matrix q(reflections.rows(), reflections.columns());
  for (int64_t j = 0; j < q.columns(); ++j) q(j, j) = 1;
  for (int64_t j = taus.columns() - 1; j >= 0; --j) Reflect(reflections, j, taus(0, j), q, 0);
  return q;
}

// Gaussian elimination with exchange of rows; which element is the largest is told as LAPACK does.
void Lu(Matrix& a, int32_t* pivots, int32_t* permutation) {
  std::iota(permutation, permutation + a.rows(), 0);
  auto size = [&](int64_t i, int64_t j) {
    return std::abs(a(i, j).real()) + std::abs(a(i, j).imag());
  };
  for (int64_t j = 0; j < std::min(a.rows(), a.columns()); ++j) {
    int64_t pivot = j;
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      if (size(i, j) > size(pivot, j)) pivot = i;
    }
    pivots[j] = static_cast<int32_t>(pivot);
    std::swap(permutation[j], permutation[pivot]);
    for (int64_t c = 0; c < a.columns(); ++c) std::swap(a(j, c), a(pivot, c));
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      if (a(j, j) != Wide(0)) a(i, j) /= a(j, j);
      for (int64_t c = j + 1; c < a.columns(); ++c) a(i, c) -= a(i, j) * a(j, c);
    }
  }
}

// Jacobi's method: rotations of two columns and rows after another, each of which makes an element
// zero (Golub and Van Loan, 8.5). Columns of `vectors` are the eigenvectors, in no order.
void Jacobi(Matrix& a, Matrix& vectors) {
  const int64_t n = a.rows();
  for (int64_t i = 0; i < n; ++i) vectors(i, i) = 1;
  constexpr int kMostSweeps = 100;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool changed = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const long double r = std::abs(a(p, q));
        const long double x = a(p, p).real(), y = a(q, q).real();
        if (!(r > std::numeric_limits<long double>::epsilon() * std::sqrt(std::abs(x * y))))
          continue;
        changed = true;
        const long double theta = (y - x) / (2 * r);
        const long double t =
            (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(1 + theta * theta));
        const long double c = 1 / std::sqrt(1 + t * t);
        const Wide s = t * c * (a(p, q) / r);
        for (Matrix* m : {&a, &vectors}) {
          for (int64_t i = 0; i < n; ++i) {
            const Wide left = (*m)(i, p), right = (*m)(i, q);
            (*m)(i, p) = c * left - std::conj(s) * right;
            (*m)(i, q) = s * left + c * right;
          }
        }
        for (int64_t i = 0; i < n; ++i) {
          const Wide upper = a(p, i), lower = a(q, i);
          a(p, i) = c * upper - s * lower;
          a(q, i) = std::conj(s) * upper + c * lower;
        }
        a(p, q) = a(q, p) = 0;
      }
    }
    if (!changed) return;
  }
}

// Eigenvalues ascending.
void Eigh(Matrix& a, bool lower, Matrix& vectors, Matrix& values) {
  const int64_t n = a.rows();
  for (int64_t i = 0; i < n; ++i) {
    a(i, i) = a(i, i).real();
    for (int64_t j = 0; j < i; ++j)
      (lower ? a(j, i) : a(i, j)) = std::conj(lower ? a(i, j) : a(j, i));
  }
  Matrix unordered(n, n);
  Jacobi(a, unordered);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return a(x, x).real() < a(y, y).real(); });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    values(0, j) = a(from, from).real();
    for (int64_t i = 0; i < n; ++i) vectors(i, j) = unordered(i, from);
  }
}

}  // namespace

absl::StatusOr<Value> Decompose(const Input& in, const DecompositionCall& call) {
  using Kind = DecompositionCall::Kind;
  Literal result(in.shape());
  const Shape& shape = in.array(0).shape();
  for (int64_t b = 0; b < MatrixCount(shape); ++b) {
    Matrix a(in.array(0), b);
    const int64_t m = a.rows(), n = a.columns(), k = std::min(m, n);
    switch (call.kind) {
      case Kind::kQr: {
        Matrix taus(1, k);
        Qr(a, taus);
        a.StoreTo(result.mutable_tuple()[0], b);
        taus.StoreTo(result.mutable_tuple()[1], b);
        break;
      }
      case Kind::kHouseholderProduct: {
        Matrix taus(1, in.array(1).shape().dimensions().back());
        taus.Load(in.array(1), b);
        HouseholderProduct(a, taus).StoreTo(result, b);
        break;
      }
      case Kind::kLu: {
        Literal &pivots = result.mutable_tuple()[1], &order = result.mutable_tuple()[2];
        Lu(a, pivots.data<int32_t>().data() + b * k, order.data<int32_t>().data() + b * m);
        a.StoreTo(result.mutable_tuple()[0], b);
        break;
      }
      case Kind::kEigh: {
        Matrix vectors(n, n), values(1, n);
        Eigh(a, call.lower, vectors, values);
        vectors.StoreTo(result.mutable_tuple()[0], b);
        values.StoreTo(result.mutable_tuple()[1], b);
        break;
      }
    }
  }
  return Value(std::move(result));
}

}  // namespace sinter::eval
