#include "linear_algebra/eigenvectors.h"

#include <utility>

#include "linear_algebra/hessenberg.h"
#include "linear_algebra/inner_loops.h"

namespace sinter::linear_algebra {
namespace {

// Eigenvectors of a Schur form t by substitution. Vectors are complex, t may be real: then complex
// eigenvalues come in pairs, the one with the positive imaginary part first.
template <class T>
class SchurVectors {
 public:
  using R = RealOf<T>;
  using C = std::complex<R>;

  SchurVectors(const Matrix<T>& t, const C* values)
      : t_(t), values_(values), x_(static_cast<size_t>(t.rows)) {
    const R n = static_cast<R>(t.rows);
    least_ = kSafeMinimum<R> * (n / kRounding<R>);
    limit_ = 1 / (kRounding<R> * kRounding<R>);
  }

  // Of value i: t x = value x; elements behind the last of i's block are 0.
  const C* Right(int64_t i) {
    value_ = values_[i];
    std::fill(x_.begin(), x_.end(), C(0));
    if (IsPair(i)) {
      const R above = t(i, i + 1), below = t(i + 1, i), size = value_.imag();
      const bool by_above = std::abs(above) >= std::abs(below);
      X(i) = by_above ? C(1) : C(-size / below);
      X(i + 1) = by_above ? C(0, size / above) : C(0, 1);
      Subtract(i + 1, i);
    } else {
      X(i) = C(1);
    }
    Subtract(i, i);
    for (int64_t j = i - 1; j >= 0; --j) {
      if (j > 0 && HasBelow(j - 1)) {
        SolveTwo(j - 1, /*transposed=*/false);
        Subtract(j, j - 1);
        --j;
      } else {
        SolveOne(j);
      }
      Subtract(j, j);
    }
    return x_.data();
  }

  // Of value i: x^H t = value x^H; elements before i are 0.
  const C* Left(int64_t i) {
    value_ = values_[i];
    std::fill(x_.begin(), x_.end(), C(0));
    int64_t last = i;
    // x is conjugated until the end.
    if (IsPair(i)) {
      const R above = t(i, i + 1), below = t(i + 1, i), size = value_.imag();
      const bool by_above = std::abs(above) >= std::abs(below);
      X(i) = by_above ? C(size / above) : C(1);
      X(i + 1) = by_above ? C(0, -1) : C(0, size / below);
      last = i + 1;
    } else {
      X(i) = C(1);
    }
    for (int64_t j = last + 1; j < t_.rows; ++j) {
      const bool is_two = HasBelow(j);
      X(j) = -ProductWithColumn(j, i, j);
      if (is_two) {
        X(j + 1) = -ProductWithColumn(j + 1, i, j);
        SolveTwo(j, /*transposed=*/true);
        ++j;
      } else {
        SolveOne(j);
      }
    }
    for (C& x : x_) x = std::conj(x);
    return x_.data();
  }

  // Of the two values of a pair the second's vector is the first's, conjugated.
  bool IsPair(int64_t i) const { return !kIsComplex<T> && i + 1 < t_.rows && HasBelow(i); }

 private:
  C& X(int64_t i) { return x_[static_cast<size_t>(i)]; }
  // As a real number; of real matrices only.
  R t(int64_t i, int64_t j) const { return std::real(t_(i, j)); }
  bool HasBelow(int64_t i) const {
    if constexpr (kIsComplex<T>) return false;
    return i + 1 < t_.rows && t_(i + 1, i) != T(0);
  }

  // x[0, rows) -= x[j] times column j of t.
  void Subtract(int64_t j, int64_t rows) {
    const C factor = X(j);
    if constexpr (kIsComplex<T>) {
      Add(-factor, t_.Column(j), x_.data(), rows);
    } else {
      const T* const column = t_.Column(j);
      for (int64_t i = 0; i < rows; ++i) {
        C& x = X(i);
        x = {x.real() - factor.real() * column[i], x.imag() - factor.imag() * column[i]};
      }
    }
  }
  // The sum of x t's column j over rows [from, to).
  C ProductWithColumn(int64_t j, int64_t from, int64_t to) {
    const T* const column = t_.Column(j);
    if constexpr (kIsComplex<T>) return Product(column + from, x_.data() + from, to - from);
    R re = 0, im = 0;
    for (int64_t i = from; i < to; ++i) {
      re += std::real(column[i]) * X(i).real();
      im += std::real(column[i]) * X(i).imag();
    }
    return {re, im};
  }

  // So that quotients by a divisor as small as `size` stay small.
  void Shrink(R dividend, R size) {
    if (!(dividend > size * limit_)) return;
    const R factor = size * limit_ / dividend;
    for (C& x : x_) x *= factor;
  }
  R Smallest() const { return std::max(2 * kRounding<R> * Size(value_), least_); }

  // (t(j, j) - value) x(j) = what stands in x(j); a divisor near 0 is moved away from it.
  void SolveOne(int64_t j) {
    C divisor = C(t_(j, j)) - value_;
    if (Size(divisor) < Smallest()) divisor = Smallest();
    Shrink(Size(X(j)), Size(divisor));
    X(j) = Over(X(j), divisor);
  }
  // The same of two rows, or of their transpose, by elimination with exchange.
  void SolveTwo(int64_t j, bool transposed) {
    C a = C(t_(j, j)) - value_, b = C(t_(j, j + 1)), c = C(t_(j + 1, j)),
      d = C(t_(j + 1, j + 1)) - value_;
    if (transposed) std::swap(b, c);
    C *first = &X(j), *second = &X(j + 1);
    C upper = *first, lower = *second;
    if (Size(c) > Size(a)) {
      std::swap(a, c);
      std::swap(b, d);
      std::swap(upper, lower);
    }
    if (Size(a) < Smallest()) a = Smallest();
    const C factor = Over(c, a);
    C pivot = d - Times(factor, b);
    if (Size(pivot) < Smallest()) pivot = Smallest();
    lower -= Times(factor, upper);
    *first = upper;
    *second = lower;
    Shrink(Size(*second), Size(pivot));
    *second = Over(*second, pivot);
    *first -= Times(b, *second);
    Shrink(Size(*first), Size(a));
    *first = Over(*first, a);
  }

  const Matrix<T> t_;
  const C* const values_;
  C value_;
  std::vector<C> x_;
  R least_, limit_;
};

// q x, x with elements in [from, to).
template <class T>
void MultiplyBy(const Matrix<T>& q, const std::complex<RealOf<T>>* x, int64_t from, int64_t to,
                std::vector<RealOf<T>>& scratch, std::complex<RealOf<T>>* product) {
  using R = RealOf<T>;
  const int64_t n = q.rows;
  if constexpr (kIsComplex<T>) {
    std::fill_n(product, n, T(0));
    for (int64_t j = from; j < to; ++j) Add(x[j], q.Column(j), product, n);
  } else {
    scratch.assign(static_cast<size_t>(2 * n), R(0));
    R *const re = scratch.data(), *const im = re + n;
    bool is_real = true;
    for (int64_t j = from; j < to; ++j) {
      Add(x[j].real(), q.Column(j), re, n);
      if (x[j].imag() == 0) continue;
      is_real = false;
      Add(x[j].imag(), q.Column(j), im, n);
    }
    for (int64_t i = 0; i < n; ++i) product[i] = {re[i], is_real ? R(0) : im[i]};
  }
}

// Length 1; of complex vectors the largest element becomes real.
template <class R>
void Normalise(std::complex<R>* x, int64_t n, bool is_real) {
  const R length = Length(x, n);
  if (length == 0) return;
  for (int64_t i = 0; i < n; ++i) x[i] /= length;
  if (is_real) return;
  const int64_t largest =
      std::max_element(x, x + n, [](auto a, auto b) { return std::norm(a) < std::norm(b); }) - x;
  const std::complex<R> turn = std::conj(x[largest]) / std::abs(x[largest]);
  for (int64_t i = 0; i < n; ++i) x[i] = Times(x[i], turn);
  x[largest] = x[largest].real();
}

// The Schur form of a in its place, with z if `wanted`.
template <class T>
int32_t Reduce(const Matrix<T>& a, Active active, const Matrix<T>* z,
               std::complex<RealOf<T>>* values, const Threads& threads) {
  std::vector<T> taus(static_cast<size_t>(a.rows));
  MakeHessenberg(a, active, taus.data(), threads);
  if (z != nullptr) {
    MakeHessenbergUnitary(a, active, taus.data(), *z, threads);
  } else {
    for (int64_t j = active.low; j + 2 < active.high; ++j)
      std::fill_n(&a(j + 2, j), active.high - j - 2, T(0));
  }
  return MakeSchur(a, active, z, values, threads);
}

}  // namespace

template <class T>
int32_t Eigenvalues(const Matrix<T>& a, std::complex<RealOf<T>>* values,
                    const Matrix<std::complex<RealOf<T>>>* left,
                    const Matrix<std::complex<RealOf<T>>>* right, const Threads& threads) {
  using R = RealOf<T>;
  using C = std::complex<R>;
  const int64_t n = a.rows;
  if (n == 0) return 0;
  const R largest = LargestPart(a);
  if (!std::isfinite(largest)) {
    std::fill_n(values, n, NaN<C>());
    for (const auto* vectors : {left, right}) {
      if (vectors != nullptr) Fill(*vectors, NaN<C>());
    }
    return -4;
  }
  const R scale = SafeScale(largest);
  if (scale != 1) Scale(a, scale);
  const Balanced<T> balanced(a, /*scale=*/true);
  const bool has_vectors = left != nullptr || right != nullptr;
  OwnMatrix<T> unitary(has_vectors ? n : 0, has_vectors ? n : 0);
  const Matrix<T> z = unitary.view();
  const int32_t info = Reduce(a, balanced.active(), has_vectors ? &z : nullptr, values, threads);
  if (info == 0 && has_vectors) {
    SchurVectors<T> schur(a, values);
    std::vector<R> scratch;
    for (const bool is_left : {true, false}) {
      const auto* vectors = is_left ? left : right;
      if (vectors == nullptr) continue;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t count = schur.IsPair(i) ? 2 : 1;
        const C* x = is_left ? schur.Left(i) : schur.Right(i);
        MultiplyBy(z, x, is_left ? i : 0, is_left ? n : i + count, scratch, vectors->Column(i));
        if (count == 1) continue;
        for (int64_t r = 0; r < n; ++r) (*vectors)(r, i + 1) = std::conj((*vectors)(r, i));
        ++i;
      }
      balanced.Restore(*vectors, is_left);
      for (int64_t i = 0; i < n; ++i)
        Normalise(vectors->Column(i), n, !kIsComplex<T> && values[i].imag() == 0);
    }
  }
  for (int64_t i = 0; i < n; ++i) values[i] /= scale;
  return info;
}

template <class T>
int32_t SchurForm(const Matrix<T>& a, const Matrix<T>* z, std::complex<RealOf<T>>* values,
                  const Threads& threads) {
  using R = RealOf<T>;
  const int64_t n = a.rows;
  if (n == 0) return 0;
  const R largest = LargestPart(a);
  if (!std::isfinite(largest)) {
    std::fill_n(values, n, NaN<std::complex<R>>());
    Fill(a, NaN<T>());
    if (z != nullptr) Fill(*z, NaN<T>());
    return static_cast<int32_t>(n);
  }
  const R scale = SafeScale(largest);
  if (scale != 1) Scale(a, scale);
  const Balanced<T> balanced(a, /*scale=*/false);
  OwnMatrix<T> own(z != nullptr ? 0 : n, z != nullptr ? 0 : n);
  // The form is that of all rows only with z.
  const Matrix<T> unitary = z != nullptr ? *z : own.view();
  const int32_t info = Reduce(a, balanced.active(), &unitary, values, threads);
  balanced.Restore(unitary, /*left=*/false);
  if (scale != 1) Scale(a, 1 / scale);
  for (int64_t i = 0; i < n; ++i) values[i] /= scale;
  return info;
}

#define SINTER_INSTANTIATE(T)                                                                 \
  template int32_t Eigenvalues<T>(const Matrix<T>&, std::complex<RealOf<T>>*,                 \
                                  const Matrix<std::complex<RealOf<T>>>*,                     \
                                  const Matrix<std::complex<RealOf<T>>>*, const Threads&);    \
  template int32_t SchurForm<T>(const Matrix<T>&, const Matrix<T>*, std::complex<RealOf<T>>*, \
                                const Threads&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
