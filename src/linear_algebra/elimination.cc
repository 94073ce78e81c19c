#include "linear_algebra/elimination.h"

#include <algorithm>
#include <utility>

#include "linear_algebra/inner_loops.h"
#include "linear_algebra/products.h"

namespace sinter::linear_algebra {
namespace {

constexpr int64_t kColumnsOfATask = 16, kRowsOfATask = 256;

// task(begin, end) for parts of `count` columns or rows; work of so many elements pays for threads.
template <class F>
void ForEachPart(int64_t count, int64_t part, int64_t elements, const Threads& threads, F task) {
  constexpr int64_t kElements = 1 << 15;
  const int64_t parts = (count + part - 1) / part;
  auto run = [&](int64_t i, int) { task(i * part, std::min(count, (i + 1) * part)); };
  if (threads.count() == 1 || elements < kElements) {
    for (int64_t i = 0; i < parts; ++i) run(i, 0);
    return;
  }
  threads.ForEach(parts, run);
}

// 1 / x where that is as good to multiply by as x to divide by; else 0.
template <class T>
T Reciprocal(T x) {
  const bool is_normal = std::abs(x) >= kSafeMinimum<RealOf<T>> && IsFinite(x);
  return is_normal ? Over(T(1), x) : T(0);
}

template <class T>
void Divide(T* x, int64_t n, T by) {
  if (const T factor = Reciprocal(by); factor != T(0)) {
    for (int64_t i = 0; i < n; ++i) x[i] = Times(x[i], factor);
  } else {
    for (int64_t i = 0; i < n; ++i) x[i] = Over(x[i], by);
  }
}

// Triangles of more rows are halved, so that nearly all of the work is in products of blocks.
constexpr int64_t kFewRows = 4;
int64_t HalfOf(int64_t n) { return n > 16 ? (n / 2 + 7) / 8 * 8 : (n + 1) / 2; }

// x of a x = b in the place of b.
template <class T>
void SolveLeft(const Matrix<T>& a, bool upper, bool unit_diagonal, const Matrix<T>& b) {
  const int64_t n = a.rows, columns = b.columns;
  if (n > kFewRows) {
    const int64_t h = HalfOf(n), rest = n - h;
    const Matrix<T> top = b.Block(0, 0, h, columns), low = b.Block(h, 0, rest, columns);
    if (upper) {
      SolveLeft(a.Block(h, h, rest, rest), upper, unit_diagonal, low);
      SubtractProduct(a.Block(0, h, h, rest), low, top);
      SolveLeft(a.Block(0, 0, h, h), upper, unit_diagonal, top);
    } else {
      SolveLeft(a.Block(0, 0, h, h), upper, unit_diagonal, top);
      SubtractProduct(a.Block(h, 0, rest, h), top, low);
      SolveLeft(a.Block(h, h, rest, rest), upper, unit_diagonal, low);
    }
    return;
  }
  for (int64_t step = 0; step < n; ++step) {
    const int64_t k = upper ? n - 1 - step : step;
    const int64_t begin = upper ? 0 : k + 1, end = upper ? k : n;
    const T factor = unit_diagonal ? T(1) : Reciprocal(a(k, k));
    for (int64_t j = 0; j < columns; ++j) {
      T* const x = b.Column(j);
      if (!unit_diagonal) x[k] = factor != T(0) ? Times(x[k], factor) : Over(x[k], a(k, k));
      for (int64_t i = begin; i < end; ++i) x[i] -= Times(a(i, k), x[k]);
    }
  }
}

// x of x a = b in the place of b.
template <class T>
void SolveRight(const Matrix<T>& a, bool upper, bool unit_diagonal, const Matrix<T>& b) {
  const int64_t n = a.rows, rows = b.rows;
  if (n > kFewRows) {
    const int64_t h = HalfOf(n), rest = n - h;
    const Matrix<T> left = b.Block(0, 0, rows, h), right = b.Block(0, h, rows, rest);
    if (upper) {
      SolveRight(a.Block(0, 0, h, h), upper, unit_diagonal, left);
      SubtractProduct(left, a.Block(0, h, h, rest), right);
      SolveRight(a.Block(h, h, rest, rest), upper, unit_diagonal, right);
    } else {
      SolveRight(a.Block(h, h, rest, rest), upper, unit_diagonal, right);
      SubtractProduct(right, a.Block(h, 0, rest, h), left);
      SolveRight(a.Block(0, 0, h, h), upper, unit_diagonal, left);
    }
    return;
  }
  for (int64_t step = 0; step < n; ++step) {
    const int64_t j = upper ? step : n - 1 - step;
    for (int64_t other = 0; other < step; ++other) {
      const int64_t k = upper ? other : n - 1 - other;
      Add(-a(k, j), b.Column(k), b.Column(j), rows);
    }
    if (!unit_diagonal) Divide(b.Column(j), rows, a(j, j));
  }
}

// Column k of a below the diagonal becomes that of L; its pivot, from 0.
template <class T>
int64_t Eliminate(const Matrix<T>& a, int64_t k) {
  T* const column = a.Column(k);
  int64_t pivot = k;
  for (int64_t i = k + 1; i < a.rows; ++i) {
    if (Size(column[i]) > Size(column[pivot])) pivot = i;
  }
  std::swap(column[k], column[pivot]);
  const T divisor = column[k];
  if (divisor == T(0)) return pivot;
  Divide(column + k + 1, a.rows - k - 1, divisor);
  return pivot;
}

// The lower factor, in halves: that of the first, then what it does to the rows below and to the
// second one.
template <class T>
int32_t FactorLower(const Matrix<T>& a, const Threads& threads) {
  using R = RealOf<T>;
  const int64_t n = a.rows;
  constexpr int64_t kFew = 16;
  if (n > kFew) {
    const int64_t h = HalfOf(n), rest = n - h;
    const Matrix<T> first = a.Block(0, 0, h, h), below = a.Block(h, 0, rest, h);
    if (const int32_t failed = FactorLower(first, threads); failed != 0) return failed;
    OwnMatrix<T> own(h, std::max(h, rest));
    const Matrix<T> adjoint = own.view();
    CopyAdjoint(first, adjoint.Block(0, 0, h, h));
    ForEachPart(rest, kRowsOfATask / 4, rest * h * h / 2, threads, [&](int64_t i, int64_t end) {
      SolveRight(adjoint.Block(0, 0, h, h), /*upper=*/true, false, below.Block(i, 0, end - i, h));
    });
    CopyAdjoint(below, adjoint.Block(0, 0, h, rest));
    ForEachPart(rest, kColumnsOfATask, rest * rest * h / 2, threads, [&](int64_t j, int64_t end) {
      SubtractProduct(below.Block(j, 0, rest - j, h), adjoint.Block(0, j, h, end - j),
                      a.Block(h + j, h + j, rest - j, end - j));
    });
    const int32_t failed = FactorLower(a.Block(h, h, rest, rest), threads);
    return failed == 0 ? 0 : failed + static_cast<int32_t>(h);
  }
  for (int64_t j = 0; j < n; ++j) {
    T* const column = a.Column(j);
    for (int64_t k = 0; k < j; ++k) Add(-Conj(a(j, k)), &a(j, k), column + j, n - j);
    const R pivot = std::real(column[j]);
    column[j] = pivot;
    if (!(pivot > 0)) return static_cast<int32_t>(j + 1);
    const R root = std::sqrt(pivot);
    column[j] = root;
    for (int64_t i = j + 1; i < n; ++i) column[i] /= root;
  }
  return 0;
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
    const Matrix<T> panel = a.Block(first, first, width, width);
    ForEachPart(a.columns, kColumnsOfATask, below * (a.columns - end) * width, threads,
                [&](int64_t j, int64_t last) {
                  for (int64_t c = j; c < last; ++c) {
                    if (c >= first && c < end) continue;
                    T* const x = a.Column(c);
                    for (int64_t k = first; k < end; ++k) std::swap(x[k], x[pivots[k] - 1]);
                  }
                  j = std::max(j, end);
                  if (j >= last) return;
                  const Matrix<T> top = a.Block(first, j, width, last - j);
                  SolveLeft(panel, /*upper=*/false, /*unit_diagonal=*/true, top);
                  SubtractProduct(a.Block(end, first, below, width), top,
                                  a.Block(end, j, below, last - j));
                });
  }
  return first_zero;
}

template <class T>
int32_t FactorCholesky(const Matrix<T>& a, bool upper, const Threads& threads) {
  const int64_t n = a.rows;
  if (!upper) {
    // Products of whole columns also reach above the diagonal.
    OwnMatrix<T> own(n, n);
    const Matrix<T> lower = own.view();
    Copy(a, lower);
    const int32_t failed = FactorLower(lower, threads);
    for (int64_t j = 0; j < n; ++j) std::copy_n(&lower(j, j), n - j, &a(j, j));
    return failed;
  }
  OwnMatrix<T> own(n, n);
  const Matrix<T> lower = own.view();
  CopyAdjoint(a, lower);
  const int32_t failed = FactorLower(lower, threads);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i <= j; ++i) a(i, j) = Conj(lower(j, i));
  }
  return failed;
}

template <class T>
void SolveTriangle(const Matrix<T>& a, bool left, bool upper, Transposition op, bool unit_diagonal,
                   const Matrix<T>& b, const Threads& threads) {
  const int64_t n = a.rows;
  if (op != Transposition::kNone) {
    OwnMatrix<T> own(n, n);
    const Matrix<T> turned = own.view();
    CopyAdjoint(a, turned);
    if (op == Transposition::kTranspose && kIsComplex<T>) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) turned(i, j) = Conj(turned(i, j));
      }
    }
    return SolveTriangle(turned, left, !upper, Transposition::kNone, unit_diagonal, b, threads);
  }
  const int64_t elements = b.rows * b.columns * n / 2;
  if (left) {
    return ForEachPart(b.columns, kColumnsOfATask, elements, threads, [&](int64_t j, int64_t end) {
      SolveLeft(a, upper, unit_diagonal, b.Block(0, j, n, end - j));
    });
  }
  ForEachPart(b.rows, kRowsOfATask, elements, threads, [&](int64_t i, int64_t end) {
    SolveRight(a, upper, unit_diagonal, b.Block(i, 0, end - i, n));
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
  template int32_t FactorCholesky<T>(const Matrix<T>&, bool, const Threads&);       \
  template void SolveTriangle<T>(const Matrix<T>&, bool, bool, Transposition, bool, \
                                 const Matrix<T>&, const Threads&);                 \
  template int32_t SolveTridiagonal<T>(T*, T*, T*, const Matrix<T>&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
