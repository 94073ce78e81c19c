#include "linear_algebra/elimination.h"

#include <array>
#include <utility>

#include "linear_algebra/inner_loops.h"

namespace sinter::linear_algebra {
namespace {

constexpr int64_t kColumnsOfATask = 16;

// task(j) for each column; work of so many elements pays for threads.
template <class F>
void ForEachColumn(int64_t columns, int64_t elements, const Threads& threads, F task) {
  constexpr int64_t kElements = 1 << 15;
  if (threads.count() == 1 || elements < kElements) {
    for (int64_t j = 0; j < columns; ++j) task(j);
    return;
  }
  threads.ForEach((columns + kColumnsOfATask - 1) / kColumnsOfATask, [&](int64_t i, int) {
    const int64_t end = std::min(columns, (i + 1) * kColumnsOfATask);
    for (int64_t j = i * kColumnsOfATask; j < end; ++j) task(j);
  });
}

// Column k of a below the diagonal becomes that of L; its pivot, from 0.
template <class T>
int64_t Eliminate(const Matrix<T>& a, int64_t k) {
  using R = RealOf<T>;
  T* const column = a.Column(k);
  int64_t pivot = k;
  for (int64_t i = k + 1; i < a.rows; ++i) {
    if (Size(column[i]) > Size(column[pivot])) pivot = i;
  }
  std::swap(column[k], column[pivot]);
  const T divisor = column[k];
  if (divisor == T(0)) return pivot;
  if (std::abs(divisor) >= kSafeMinimum<R>) {
    const T factor = Over(T(1), divisor);
    for (int64_t i = k + 1; i < a.rows; ++i) column[i] = Times(column[i], factor);
  } else {
    for (int64_t i = k + 1; i < a.rows; ++i) column[i] = Over(column[i], divisor);
  }
  return pivot;
}

}  // namespace

template <class T>
int32_t FactorLu(const Matrix<T>& a, int32_t* pivots, const Threads& threads) {
  constexpr int64_t kPanel = 16;
  const int64_t count = std::min(a.rows, a.columns);
  int32_t first_zero = 0;
  for (int64_t first = 0; first < count; first += kPanel) {
    const int64_t width = std::min(kPanel, count - first), end = first + width;
    for (int64_t k = first; k < end; ++k) {
      const int64_t pivot = Eliminate(a, k);
      pivots[k] = static_cast<int32_t>(pivot + 1);
      if (a(k, k) == T(0) && first_zero == 0) first_zero = static_cast<int32_t>(k + 1);
      for (int64_t j = first; j < end; ++j) {
        if (j == k) continue;
        std::swap(a(k, j), a(pivot, j));
        if (j > k) Add(-a(k, j), a.Column(k) + k + 1, a.Column(j) + k + 1, a.rows - k - 1);
      }
    }
    // The other columns: their rows exchanged, those behind with all of the panel at once.
    const int64_t below = a.rows - end;
    ForEachColumn(a.columns, below * (a.columns - end) * width, threads, [&](int64_t j) {
      if (j >= first && j < end) return;
      T* const x = a.Column(j);
      for (int64_t k = first; k < end; ++k) std::swap(x[k], x[pivots[k] - 1]);
      if (j < end) return;
      std::array<T, kPanel> factors;
      for (int64_t k = first; k < end; ++k) {
        factors[static_cast<size_t>(k - first)] = -x[k];
        for (int64_t i = k + 1; i < end; ++i) x[i] -= Times(a(i, k), x[k]);
      }
      AddProduct(a.Block(end, first, below, width), factors.data(), x + end);
    });
  }
  return first_zero;
}

template <class T>
int32_t FactorCholesky(const Matrix<T>& a, bool upper) {
  using R = RealOf<T>;
  const int64_t n = a.rows;
  for (int64_t j = 0; j < n; ++j) {
    T* const column = a.Column(j);
    if (upper) {
      for (int64_t i = 0; i < j; ++i) {
        const T* const other = a.Column(i);
        column[i] = (column[i] - Dot(other, column, i)) / std::real(other[i]);
      }
      column[j] = std::real(column[j]) - std::real(Dot(column, column, j));
    } else {
      for (int64_t k = 0; k < j; ++k) Add(-Conj(a(j, k)), &a(j, k), column + j, n - j);
    }
    const R pivot = std::real(column[j]);
    if (!(pivot > 0)) {
      column[j] = pivot;
      return static_cast<int32_t>(j + 1);
    }
    const R root = std::sqrt(pivot);
    column[j] = root;
    if (upper) continue;
    for (int64_t i = j + 1; i < n; ++i) column[i] /= root;
  }
  return 0;
}

template <class T>
void SolveTriangle(const Matrix<T>& a, bool left, bool upper, Transposition op, bool unit_diagonal,
                   const Matrix<T>& b, const Threads& threads) {
  const int64_t n = a.rows;
  const bool plain = op == Transposition::kNone, adjoint = op == Transposition::kAdjoint;
  // Of op(a).
  auto element = [&](int64_t i, int64_t j) {
    return plain ? a(i, j) : adjoint ? Conj(a(j, i)) : a(j, i);
  };
  const bool is_upper = upper == plain;
  if (left) {
    const bool from_below = is_upper;
    ForEachColumn(b.columns, b.columns * n * n / 2, threads, [&](int64_t c) {
      T* const x = b.Column(c);
      for (int64_t step = 0; step < n; ++step) {
        const int64_t k = from_below ? n - 1 - step : step;
        // The unknowns not yet known begin at `first`, those known at `known`.
        if (!plain) {
          const int64_t known = from_below ? k + 1 : 0, count = step;
          x[k] -= adjoint ? Dot(&a(known, k), x + known, count)
                          : Product(&a(known, k), x + known, count);
        }
        if (!unit_diagonal) x[k] = Over(x[k], element(k, k));
        if (plain) {
          const int64_t first = from_below ? 0 : k + 1;
          Add(-x[k], &a(first, k), x + first, n - 1 - step);
        }
      }
    });
    return;
  }
  // Rows of b by slices.
  constexpr int64_t kRows = 256;
  threads.ForEach((b.rows + kRows - 1) / kRows, [&](int64_t task, int) {
    const int64_t row = task * kRows, rows = std::min(kRows, b.rows - row);
    for (int64_t step = 0; step < n; ++step) {
      const int64_t j = is_upper ? step : n - 1 - step;
      T* const x = &b(row, j);
      for (int64_t other = 0; other < step; ++other) {
        const int64_t k = is_upper ? other : n - 1 - other;
        Add(-element(k, j), &b(row, k), x, rows);
      }
      if (unit_diagonal) continue;
      const T divisor = element(j, j);
      for (int64_t i = 0; i < rows; ++i) x[i] = Over(x[i], divisor);
    }
  });
}

template <class T>
int32_t SolveTridiagonal(T* below, T* diagonal, T* above, const Matrix<T>& x) {
  const int64_t n = x.rows;
  auto subtract = [&](int64_t row, T factor, int64_t other) {
    for (int64_t j = 0; j < x.columns; ++j) x(row, j) -= Times(factor, x(other, j));
  };
  for (int64_t k = 0; k + 1 < n; ++k) {
    const bool has_second = k + 2 < n;
    if (below[k] == T(0)) {
      if (diagonal[k] == T(0)) return static_cast<int32_t>(k + 1);
      continue;
    }
    if (Size(diagonal[k]) >= Size(below[k])) {
      const T factor = Over(below[k], diagonal[k]);
      diagonal[k + 1] -= Times(factor, above[k]);
      subtract(k + 1, factor, k);
      below[k] = T(0);
    } else {
      const T factor = Over(diagonal[k], below[k]);
      diagonal[k] = below[k];
      const T next = diagonal[k + 1];
      diagonal[k + 1] = above[k] - Times(factor, next);
      above[k] = next;
      below[k] = T(0);
      if (has_second) {
        below[k] = above[k + 1];
        above[k + 1] = -Times(factor, below[k]);
      }
      for (int64_t j = 0; j < x.columns; ++j) std::swap(x(k, j), x(k + 1, j));
      subtract(k + 1, factor, k);
    }
  }
  if (n > 0 && diagonal[n - 1] == T(0)) return static_cast<int32_t>(n);
  for (int64_t k = n - 1; k >= 0; --k) {
    if (k + 1 < n) subtract(k, above[k], k + 1);
    if (k + 2 < n) subtract(k, below[k], k + 2);
    for (int64_t j = 0; j < x.columns; ++j) x(k, j) = Over(x(k, j), diagonal[k]);
  }
  return 0;
}

#define SINTER_INSTANTIATE(T)                                                       \
  template int32_t FactorLu<T>(const Matrix<T>&, int32_t*, const Threads&);         \
  template int32_t FactorCholesky<T>(const Matrix<T>&, bool);                       \
  template void SolveTriangle<T>(const Matrix<T>&, bool, bool, Transposition, bool, \
                                 const Matrix<T>&, const Threads&);                 \
  template int32_t SolveTridiagonal<T>(T*, T*, T*, const Matrix<T>&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
