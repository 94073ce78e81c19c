#include "linear_algebra/hessenberg.h"

#include "linear_algebra/inner_loops.h"
#include "linear_algebra/reflections.h"

namespace sinter::linear_algebra {

template <class T>
void MakeHessenberg(const Matrix<T>& a, Active active, T* taus, const Threads& threads) {
  const int64_t n = a.rows, high = active.high;
  std::vector<T> vector(static_cast<size_t>(n)), scratch(static_cast<size_t>(n));
  if (n > 1) std::fill_n(taus, n - 1, T(0));
  for (int64_t k = active.low; k + 1 < high; ++k) {
    const int64_t size = high - k - 1;
    taus[k] = MakeReflection(&a(k + 1, k), size);
    vector[0] = T(1);
    std::copy_n(&a(k + 1, k) + 1, size - 1, vector.begin() + 1);
    ReflectColumns(vector.data(), taus[k], a.Block(0, k + 1, high, size), scratch.data());
    ReflectRows(vector.data(), Conj(taus[k]), a.Block(k + 1, k + 1, size, n - k - 1), threads);
  }
}

template <class T>
void MakeHessenbergUnitary(const Matrix<T>& a, Active active, const T* taus, const Matrix<T>& q,
                           const Threads& threads) {
  SetIdentity(q);
  const int64_t low = active.low, size = active.high - low - 1;
  for (int64_t j = 0; j < size; ++j) {
    T* const column = &a(low + j + 1, low + j);
    std::copy_n(column, size - j, &q(low + 1 + j, low + 1 + j));
    std::fill_n(column + 1, size - j - 1, T(0));
  }
  if (size > 0) MakeUnitary(q.Block(low + 1, low + 1, size, size), taus + low, size, threads);
}

template <class T>
void Balanced<T>::Exchange(const Matrix<T>& a, int64_t i, int64_t j) {
  exchanges_.emplace_back(i, j);
  if (i == j) return;
  std::swap_ranges(a.Column(i), a.Column(i) + a.rows, a.Column(j));
  for (int64_t c = 0; c < a.columns; ++c) std::swap(a(i, c), a(j, c));
}

template <class T>
Balanced<T>::Balanced(const Matrix<T>& a, bool scale)
    : active_{0, a.rows}, scales_(static_cast<size_t>(a.rows), R(1)) {
  // Whether row (or column) i has zeros alone in the active columns (rows) but its own.
  auto is_alone = [&](int64_t i, bool row) {
    for (int64_t k = active_.low; k < active_.high; ++k) {
      if (k != i && (row ? a(i, k) : a(k, i)) != T(0)) return false;
    }
    return true;
  };
  auto find = [&](bool row) {
    for (int64_t i = active_.high - 1; i >= active_.low; --i) {
      if (is_alone(i, row)) return i;
    }
    return int64_t{-1};
  };
  for (int64_t i = 0; active_.high > 0 && (i = find(/*row=*/true)) >= 0;)
    Exchange(a, i, --active_.high);
  for (int64_t i = 0; active_.low < active_.high && (i = find(/*row=*/false)) >= 0;)
    Exchange(a, i, active_.low++);
  if (scale) ScaleRowsAndColumns(a);
}

template <class T>
void Balanced<T>::ScaleRowsAndColumns(const Matrix<T>& a) {
  constexpr int kPasses = 20, kMostExponent = std::numeric_limits<R>::max_exponent / 4;
  const int64_t low = active_.low, size = active_.high - low;
  bool changed = true;
  std::vector<T> row(static_cast<size_t>(size));
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (int64_t i = low; i < active_.high; ++i) {
      for (int64_t k = 0; k < size; ++k) row[static_cast<size_t>(k)] = a(i, low + k);
      const R c = Length(&a(low, i), size), r = Length(row.data(), size);
      if (c == 0 || r == 0) continue;
      const int exponent = static_cast<int>(std::lround(std::log2(r / c) / 2));
      R& scale = scales_[static_cast<size_t>(i)];
      const R f = std::ldexp(R(1), exponent);
      if (exponent == 0 || std::abs(std::ilogb(scale) + exponent) > kMostExponent ||
          !(c * f + r / f < R(0.95) * (c + r)))
        continue;
      scale *= f;
      changed = true;
      for (int64_t k = 0; k < a.rows; ++k) a(k, i) *= f;
      for (int64_t k = 0; k < a.columns; ++k) a(i, k) *= 1 / f;
    }
  }
}

template <class T>
template <class X>
void Balanced<T>::Restore(const Matrix<X>& x, bool left) const {
  for (int64_t i = active_.low; i < active_.high; ++i) {
    const R s = scales_[static_cast<size_t>(i)], f = left ? 1 / s : s;
    if (f == 1) continue;
    for (int64_t j = 0; j < x.columns; ++j) x(i, j) *= f;
  }
  for (auto e = exchanges_.rbegin(); e != exchanges_.rend(); ++e) {
    if (e->first == e->second) continue;
    for (int64_t j = 0; j < x.columns; ++j) std::swap(x(e->first, j), x(e->second, j));
  }
}

#define SINTER_INSTANTIATE(T)                                                                  \
  template void MakeHessenberg<T>(const Matrix<T>&, Active, T*, const Threads&);               \
  template void MakeHessenbergUnitary<T>(const Matrix<T>&, Active, const T*, const Matrix<T>&, \
                                         const Threads&);                                      \
  template class Balanced<T>;
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE
#define SINTER_INSTANTIATE(T, X) \
  template void Balanced<T>::Restore<X>(const Matrix<X>&, bool) const;
SINTER_INSTANTIATE(float, float)
SINTER_INSTANTIATE(double, double)
SINTER_INSTANTIATE(float, std::complex<float>)
SINTER_INSTANTIATE(double, std::complex<double>)
SINTER_INSTANTIATE(std::complex<float>, std::complex<float>)
SINTER_INSTANTIATE(std::complex<double>, std::complex<double>)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
