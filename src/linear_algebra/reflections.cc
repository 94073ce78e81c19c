#include "linear_algebra/reflections.h"

#include <numeric>
#include <utility>

namespace sinter::linear_algebra {
namespace {

// Puts the 1 of a reflection's vector in its place, and back what stood there.
template <class T>
class ScopedOne {
 public:
  explicit ScopedOne(T* at) : at_(at), saved_(std::exchange(*at, T(1))) {}
  ~ScopedOne() { *at_ = saved_; }
  ScopedOne(const ScopedOne&) = delete;
  ScopedOne& operator=(const ScopedOne&) = delete;

 private:
  T* const at_;
  const T saved_;
};

// Columns from `first` on, of a whose column `first` has just become that of a reflection.
template <class T>
void ReflectTheRest(const Matrix<T>& a, int64_t row, int64_t column, T tau,
                    const Threads& threads) {
  if (column + 1 == a.columns) return;
  ScopedOne<T> one(&a(row, column));
  ReflectRows(&a(row, column), Conj(tau),
              a.Block(row, column + 1, a.rows - row, a.columns - column - 1), threads);
}

template <class T>
void Swap(const Matrix<T>& a, int64_t i, int64_t j) {
  std::swap_ranges(a.Column(i), a.Column(i) + a.rows, a.Column(j));
}

}  // namespace

template <class T>
T MakeReflection(T* x, int64_t n) {
  using R = RealOf<T>;
  if (n <= 0) return T(0);
  R rest = Length(x + 1, n - 1);
  if (rest == 0 && std::imag(x[0]) == 0) return T(0);
  auto length = [&] { return std::hypot(std::hypot(std::real(x[0]), std::imag(x[0])), rest); };
  R beta = -std::copysign(length(), std::real(x[0]));
  // Where that is too small to divide by, in a larger unit.
  const R least = kSafeMinimum<R> / kRounding<R>, unit = 1 / least;
  int enlarged = 0;
  while (std::abs(beta) < least && enlarged < 20) {
    ++enlarged;
    for (int64_t i = 0; i < n; ++i) x[i] *= unit;
    rest = Length(x + 1, n - 1);
    beta = -std::copysign(length(), std::real(x[0]));
  }
  T tau;
  if constexpr (kIsComplex<T>) {
    tau = T((beta - x[0].real()) / beta, -x[0].imag() / beta);
  } else {
    tau = (beta - x[0]) / beta;
  }
  const T factor = Over(T(1), x[0] - beta);
  for (int64_t i = 1; i < n; ++i) x[i] = Times(x[i], factor);
  for (; enlarged > 0; --enlarged) beta *= least;
  x[0] = beta;
  return tau;
}

template <class T>
void ReflectRows(const T* v, T tau, const Matrix<T>& a, const Threads& threads) {
  if (tau == T(0)) return;
  // Below that a thread takes longer to come.
  constexpr int64_t kElements = 1 << 15, kColumns = 16;
  if (threads.count() == 1 || a.rows * a.columns < kElements)
    return ReflectColumnsBy(v, tau, a.data, a.stride, a.rows, a.columns);
  threads.ForEach((a.columns + kColumns - 1) / kColumns, [&](int64_t i, int) {
    const int64_t first = i * kColumns;
    ReflectColumnsBy(v, tau, a.Column(first), a.stride, a.rows,
                     std::min(kColumns, a.columns - first));
  });
}

template <class T>
void ReflectColumns(const T* v, T tau, const Matrix<T>& a, T* scratch) {
  if (tau == T(0)) return;
  std::fill_n(scratch, a.rows, T(0));
  AddProduct(a, v, scratch);
  std::vector<T> factors(static_cast<size_t>(a.columns));
  for (int64_t j = 0; j < a.columns; ++j) factors[static_cast<size_t>(j)] = -Times(tau, Conj(v[j]));
  AddOuterProduct(factors.data(), scratch, a);
}

template <class T>
void FactorQr(const Matrix<T>& a, T* taus, const Threads& threads) {
  for (int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    taus[j] = MakeReflection(&a(j, j), a.rows - j);
    ReflectTheRest(a, j, j, taus[j], threads);
  }
}

template <class T>
void FactorPivotedQr(const Matrix<T>& a, int32_t* pivots, T* taus, const Threads& threads) {
  using R = RealOf<T>;
  const int64_t k = std::min(a.rows, a.columns);
  int64_t fixed = 0;
  for (int64_t j = 0; j < a.columns; ++j) {
    const bool is_fixed = pivots[j] != 0;
    pivots[j] = static_cast<int32_t>(j + 1);
    if (!is_fixed) continue;
    if (j != fixed) {
      Swap(a, j, fixed);
      std::swap(pivots[j], pivots[fixed]);
    }
    ++fixed;
  }
  // The columns' lengths from the present row on, downdated, and those when they were last
  // computed.
  std::vector<R> length(static_cast<size_t>(a.columns)), exact;
  const R lost = std::sqrt(kRounding<R>);
  for (int64_t j = 0; j < k; ++j) {
    if (j >= fixed) {
      if (j == fixed) {
        for (int64_t c = j; c < a.columns; ++c)
          length[static_cast<size_t>(c)] = Length(&a(j, c), a.rows - j);
        exact = length;
      }
      const auto from = length.begin() + j;
      const int64_t largest = std::max_element(from, length.end()) - length.begin();
      if (largest != j) {
        Swap(a, j, largest);
        std::swap(pivots[j], pivots[largest]);
        length[static_cast<size_t>(largest)] = length[static_cast<size_t>(j)];
        exact[static_cast<size_t>(largest)] = exact[static_cast<size_t>(j)];
      }
    }
    taus[j] = MakeReflection(&a(j, j), a.rows - j);
    ReflectTheRest(a, j, j, taus[j], threads);
    if (j < fixed) continue;
    // Z. Drmac and Z. Bujanovic, On the failure of rank-revealing QR factorization software,
    // LAPACK Working Note 176, 2006.
    for (auto c = static_cast<size_t>(j + 1); c < length.size(); ++c) {
      if (length[c] == 0) continue;
      const R part = std::abs(a(j, static_cast<int64_t>(c))) / length[c];
      const R left = std::max(R(0), (1 + part) * (1 - part)), of_exact = length[c] / exact[c];
      if (left * of_exact * of_exact <= lost) {
        length[c] = exact[c] = Length(&a(j + 1, static_cast<int64_t>(c)), a.rows - j - 1);
      } else {
        length[c] *= std::sqrt(left);
      }
    }
  }
}

template <class T>
void MakeUnitary(const Matrix<T>& a, const T* taus, int64_t count, const Threads& threads) {
  for (int64_t j = count; j < a.columns; ++j) {
    std::fill_n(a.Column(j), a.rows, T(0));
    a(j, j) = T(1);
  }
  for (int64_t j = count - 1; j >= 0; --j) {
    a(j, j) = T(1);
    ReflectRows(&a(j, j), taus[j], a.Block(j, j + 1, a.rows - j, a.columns - j - 1), threads);
    for (int64_t i = j + 1; i < a.rows; ++i) a(i, j) = -Times(taus[j], a(i, j));
    a(j, j) = T(1) - taus[j];
    std::fill_n(a.Column(j), j, T(0));
  }
}

template <class T>
void ApplyReflections(const Matrix<T>& v, const T* taus, int64_t count, bool left, bool adjoint,
                      const Matrix<T>& c, const Threads& threads) {
  std::vector<T> vector(static_cast<size_t>(v.rows)), scratch(static_cast<size_t>(c.rows));
  for (int64_t step = 0; step < count; ++step) {
    const int64_t j = left == adjoint ? step : count - 1 - step, size = v.rows - j;
    vector[0] = T(1);
    std::copy_n(&v(j, j) + 1, size - 1, vector.begin() + 1);
    const T tau = adjoint ? Conj(taus[j]) : taus[j];
    if (left) {
      ReflectRows(vector.data(), tau, c.Block(j, 0, size, c.columns), threads);
    } else {
      ReflectColumns(vector.data(), tau, c.Block(0, j, c.rows, size), scratch.data());
    }
  }
}

#define SINTER_INSTANTIATE(T)                                                        \
  template T MakeReflection<T>(T*, int64_t);                                         \
  template void ReflectRows<T>(const T*, T, const Matrix<T>&, const Threads&);       \
  template void ReflectColumns<T>(const T*, T, const Matrix<T>&, T*);                \
  template void FactorQr<T>(const Matrix<T>&, T*, const Threads&);                   \
  template void FactorPivotedQr<T>(const Matrix<T>&, int32_t*, T*, const Threads&);  \
  template void MakeUnitary<T>(const Matrix<T>&, const T*, int64_t, const Threads&); \
  template void ApplyReflections<T>(const Matrix<T>&, const T*, int64_t, bool, bool, \
                                    const Matrix<T>&, const Threads&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
