#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/matrix_vectors.cc"
#include "runtime/cpu/matrix_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/matrix_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::matrix {

// Rows of a whole panel: a call of memmove for each takes as long as the products.
template <class T>
void CopyRows(const T* from, int64_t from_stride, int64_t rows, T* to, int64_t to_stride) {
  constexpr int64_t kLanes = LANES;
  for (int64_t r = 0; r < rows; ++r) {
    const Vector<T> x0 = Load(from + r * from_stride), x1 = Load(from + r * from_stride + kLanes);
    Store(x0, to + r * to_stride);
    Store(x1, to + r * to_stride + kLanes);
  }
}

template <class T>
void Pack(const MatrixView<T>& a, int64_t rows, int64_t count, T* panel) {
  constexpr int64_t kColumns = 2 * LANES;
  if (a.row == 1) return Turn(a.at, a.column, count, rows, panel);
  if (a.column == 1 && count == kColumns) return CopyRows(a.at, a.row, rows, panel, kColumns);
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = a.at + r * a.row;
    T* to = panel + r * kColumns;
    if (a.column == 1) {
      std::copy_n(from, count, to);
    } else {
      for (int64_t c = 0; c < count; ++c) to[c] = from[c * a.column];
    }
    std::fill(to + count, to + kColumns, T{0});
  }
}

template <class T>
void Unpack(const T* panel, int64_t rows, int64_t count, const MatrixView<T>& a) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  T* const to = const_cast<T*>(a.at);
  if (a.column == 1 && count == kColumns) return CopyRows(panel, kColumns, rows, to, a.row);
  int64_t r = 0;
  if (a.row == 1 && count == kColumns) {
    for (; r + kLanes <= rows; r += kLanes) {
      for (int64_t half = 0; half < kColumns; half += kLanes) {
        Vector<T> v[kLanes];
        LoadTransposed<T>([&](int64_t l) HWY_ATTR { return panel + (r + l) * kColumns + half; }, v);
        UNROLLED for (int64_t l = 0; l < kLanes; ++l) Store(v[l], to + r + (half + l) * a.column);
      }
    }
  }
  for (; r < rows; ++r) {
    if (a.column == 1) {
      std::copy_n(panel + r * kColumns, count, to + r * a.row);
    } else {
      for (int64_t c = 0; c < count; ++c) to[r * a.row + c * a.column] = panel[r * kColumns + c];
    }
  }
}

template <class T>
void SubtractProduct(const MatrixView<T>& left, int64_t rows, int64_t depth, const T* panel, T* to,
                     int64_t stride) {
  if (left.column == 1) {
    SubtractRows(left.at, left.row, 1, rows, depth, panel, to, stride);
  } else if (left.row == 1) {
    SubtractRows(left.at, 1, left.column, rows, depth, panel, to, stride);
  } else {
    SubtractRows(left.at, left.row, left.column, rows, depth, panel, to, stride);
  }
}

template <class T>
void Solve(const MatrixView<T>& left, bool unit_diagonal, int64_t rows, T* panel) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  for (int64_t first = 0; first < rows; first += kTileRows) {
    const int64_t end = std::min<int64_t>(rows, first + kTileRows);
    SubtractProduct<T>({left.at + first * left.row, left.row, left.column}, end - first, first,
                       panel, panel + first * kColumns, kColumns);
    for (int64_t r = first; r < end; ++r) {
      T* to = panel + r * kColumns;
      const T* row = left.at + r * left.row;
      Vector<T> x0 = Load(to), x1 = Load(to + kLanes);
      for (int64_t k = first; k < r; ++k) {
        const Vector<T> factor = Splat(row[k * left.column]);
        x0 = hn::NegMulAdd(factor, Load(panel + k * kColumns), x0);
        x1 = hn::NegMulAdd(factor, Load(panel + k * kColumns + kLanes), x1);
      }
      if (!unit_diagonal) {
        const Vector<T> diagonal = Splat(row[r * left.column]);
        x0 = hn::Div(x0, diagonal);
        x1 = hn::Div(x1, diagonal);
      }
      Store(x0, to);
      Store(x1, to + kLanes);
    }
  }
}

// The columns of a panel at which `column` is, and those behind it.
template <class T>
struct ColumnMasks {
  hn::Mask<Lanes<T>> is[2], after[2];
  explicit HWY_INLINE ColumnMasks(int64_t column) {
    const Lanes<T> d;
    const Vector<T> at = Splat(static_cast<T>(column));
    UNROLLED for (int h = 0; h < 2; ++h) {
      const Vector<T> index = hn::Iota(d, static_cast<T>(h * LANES));
      is[h] = hn::Eq(index, at);
      after[h] = hn::Gt(index, at);
    }
  }
};

// x / divisor for many x: by the reciprocal, unless that overflows.
template <class T>
struct Divisor {
  T factor;
  bool divides;
  explicit Divisor(T divisor) : factor(1 / divisor), divides(!std::isfinite(factor)) {
    if (divides) factor = divisor;
  }
  T operator()(T x) const { return divides ? x / factor : x * factor; }
};

template <class T>
void Lu(T* panel, int64_t rows, int64_t count, int32_t* pivots) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  const int64_t steps = std::min(rows, count);
  int64_t pivot = 0;
  for (int64_t r = 1; r < rows && steps > 0; ++r) {
    if (std::abs(panel[r * kColumns]) > std::abs(panel[pivot * kColumns])) pivot = r;
  }
  for (int64_t j = 0; j < steps; ++j) {
    pivots[j] = static_cast<int32_t>(pivot);
    T* const top = panel + j * kColumns;
    if (pivot != j) std::swap_ranges(top, top + kColumns, panel + pivot * kColumns);
    const T value = top[j];
    const Divisor<T> divisor(value == 0 ? T{1} : value);
    const Vector<T> top0 = Load(top), top1 = Load(top + kLanes);
    const ColumnMasks<T> masks(j);
    const int64_t next = std::min(j + 1, kColumns - 1);
    // The pivot of the next column is looked for on the way.
    pivot = j + 1;
    T largest = -1;
    for (int64_t r = j + 1; r < rows; ++r) {
      T* const row = panel + r * kColumns;
      const T factor = divisor(row[j]);
      const Vector<T> f = Splat(factor), x0 = Load(row), x1 = Load(row + kLanes);
      Store(hn::IfThenElse(masks.after[0], hn::NegMulAdd(f, top0, x0),
                           hn::IfThenElse(masks.is[0], f, x0)),
            row);
      Store(hn::IfThenElse(masks.after[1], hn::NegMulAdd(f, top1, x1),
                           hn::IfThenElse(masks.is[1], f, x1)),
            row + kLanes);
      const T size = std::abs(row[next]);
      // A NaN on the diagonal stays there: nothing is larger.
      if (size > largest || r == j + 1) {
        largest = size;
        pivot = r;
      }
    }
  }
}

// The norm of n elements, `stride` apart; squares neither overflow nor vanish.
template <class T>
T Norm(const T* x, int64_t stride, int64_t n) {
  constexpr int64_t kSums = 4;
  auto norm = [&](double scale) {
    double sum[kSums] = {};
    int64_t k = 0;
    for (; k + kSums <= n; k += kSums) {
      UNROLLED for (int64_t s = 0; s < kSums; ++s) {
        const double e = static_cast<double>(x[(k + s) * stride]) * scale;
        sum[s] += e * e;
      }
    }
    for (; k < n; ++k) {
      const double e = static_cast<double>(x[k * stride]) * scale;
      sum[0] += e * e;
    }
    return std::sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
  };
  const double plain = norm(1);
  if constexpr (std::is_same_v<T, double>) {
    constexpr double kLeast = 1e-140, kMost = 1e140;
    double largest = 0;
    if (!(plain > kLeast && plain < kMost)) {
      for (int64_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(x[k * stride]));
    }
    if (largest > 0 && largest <= std::numeric_limits<double>::max()) {
      const int exponent = std::max(std::ilogb(largest), -1000);
      return static_cast<T>(std::ldexp(norm(std::ldexp(1.0, -exponent)), exponent));
    }
  }
  return static_cast<T>(plain);
}

// The reflection of a column whose first element is `alpha` and whose others have the norm `below`,
// which is not 0.
template <class T>
struct Reflection {
  T beta, tau;
  Divisor<T> divisor;
  Reflection(T alpha, T below)
      : beta([&] {
          const T norm = static_cast<T>(std::hypot(static_cast<double>(alpha), double{below}));
          return alpha >= 0 ? -norm : norm;
        }()),
        tau((beta - alpha) / beta),
        divisor(alpha - beta) {}
};

template <class T>
void Qr(T* panel, int64_t rows, int64_t count, T* taus) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  for (int64_t j = 0; j < count; ++j) {
    T* const top = panel + j * kColumns;
    const T below = Norm(panel + (j + 1) * kColumns + j, kColumns, rows - j - 1);
    taus[j] = 0;
    if (below == 0) continue;
    const Reflection<T> reflection(top[j], below);
    const T beta = reflection.beta, tau = taus[j] = reflection.tau;
    const Divisor<T>& divisor = reflection.divisor;
    const ColumnMasks<T> masks(j);
    // The products of v with the columns behind it, in several sums.
    constexpr int kSums = 4;
    Vector<T> sum[kSums][2];
    sum[0][0] = Load(top);
    sum[0][1] = Load(top + kLanes);
    UNROLLED for (int s = 1; s < kSums; ++s) sum[s][0] = sum[s][1] = hn::Zero(Lanes<T>());
    int64_t r = j + 1;
    auto add = [&](int64_t k, int s) HWY_ATTR {
      T* const row = panel + k * kColumns;
      const T element = divisor(row[j]);
      const Vector<T> v = Splat(element);
      // Column j's sum is not used. Vectors that are loaded right after one of their elements is
      // stored would wait for it.
      sum[s][0] = hn::MulAdd(v, Load(row), sum[s][0]);
      sum[s][1] = hn::MulAdd(v, Load(row + kLanes), sum[s][1]);
      row[j] = element;
    };
    for (; r + kSums <= rows; r += kSums) {
      UNROLLED for (int s = 0; s < kSums; ++s) add(r + s, s);
    }
    for (; r < rows; ++r) add(r, 0);
    Vector<T> scaled[2];
    UNROLLED for (int h = 0; h < 2; ++h) {
      const Vector<T> all = hn::Add(hn::Add(sum[0][h], sum[1][h]), hn::Add(sum[2][h], sum[3][h]));
      scaled[h] = hn::IfThenElseZero(masks.after[h], hn::Mul(all, Splat(tau)));
    }
    for (int h = 0; h < 2; ++h) {
      T* const at = top + h * kLanes;
      Store(hn::IfThenElse(masks.is[h], Splat(beta), hn::Sub(Load(at), scaled[h])), at);
    }
    for (r = j + 1; r < rows; ++r) {
      T* const row = panel + r * kColumns;
      const Vector<T> v = Splat(row[j]), x0 = Load(row), x1 = Load(row + kLanes);
      Store(hn::IfThenElse(masks.after[0], hn::NegMulAdd(v, scaled[0], x0), x0), row);
      Store(hn::IfThenElse(masks.after[1], hn::NegMulAdd(v, scaled[1], x1), x1), row + kLanes);
    }
  }
}

template <class T>
T Dot(const T* x, const T* y, int64_t n) {
  constexpr int64_t kLanes = LANES, kSums = 4;
  Vector<T> sum[kSums];
  UNROLLED for (int64_t s = 0; s < kSums; ++s) sum[s] = hn::Zero(Lanes<T>());
  int64_t k = 0;
  for (; k + kSums * kLanes <= n; k += kSums * kLanes) {
    UNROLLED for (int64_t s = 0; s < kSums; ++s) sum[s] =
        hn::MulAdd(Load(x + k + s * kLanes), Load(y + k + s * kLanes), sum[s]);
  }
  for (; k + kLanes <= n; k += kLanes) sum[0] = hn::MulAdd(Load(x + k), Load(y + k), sum[0]);
  T rest = 0;
  for (; k < n; ++k) rest = std::fma(x[k], y[k], rest);
  const Vector<T> all = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  return hn::GetLane(hn::SumOfLanes(Lanes<T>(), all)) + rest;
}
// y -= factor x
template <class T>
void SubtractScaled(T factor, const T* x, T* y, int64_t n) {
  constexpr int64_t kLanes = LANES;
  const Vector<T> f = Splat(factor);
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) Store(hn::NegMulAdd(f, Load(x + k), Load(y + k)), y + k);
  for (; k < n; ++k) y[k] = std::fma(-factor, x[k], y[k]);
}
// Applies I - tau v v^T to the `rows` elements of x, v[0] being 1 whatever stands there.
template <class T>
void Reflect(const T* v, T tau, int64_t rows, T* x) {
  const T scaled = tau * (x[0] + Dot(v + 1, x + 1, rows - 1));
  x[0] -= scaled;
  SubtractScaled(scaled, v + 1, x + 1, rows - 1);
}

template <class T>
void QrOfColumns(T* columns, int64_t rows, int64_t count, T* taus) {
  for (int64_t j = 0; j < std::min(rows, count); ++j) {
    T* const v = columns + j * rows + j;
    const int64_t left = rows - j;
    const T below = Norm(v + 1, 1, left - 1);
    taus[j] = 0;
    if (below == 0) continue;
    const Reflection<T> reflection(v[0], below);
    taus[j] = reflection.tau;
    for (int64_t r = 1; r < left; ++r) v[r] = reflection.divisor(v[r]);
    for (int64_t k = j + 1; k < count; ++k)
      Reflect(v, reflection.tau, left, columns + k * rows + j);
    v[0] = reflection.beta;
  }
}

template <class T>
void ProductOfColumns(const T* columns, const T* taus, int64_t rows, int64_t count,
                      int64_t reflections, T* to) {
  std::fill_n(to, rows * count, T{0});
  for (int64_t k = 0; k < std::min(rows, count); ++k) to[k * rows + k] = 1;
  // Of the columns before j nothing is left in the rows from there on.
  for (int64_t j = reflections; j-- > 0;) {
    for (int64_t k = j; k < count; ++k)
      Reflect(columns + j * rows + j, taus[j], rows - j, to + k * rows + j);
  }
}

static MatrixKernels<float> KernelsOfFloat() {
  return {2 * HWY_LANES(float),   Pack<float>, Unpack<float>, SubtractProduct<float>,
          Solve<float>,           Lu<float>,   Qr<float>,     QrOfColumns<float>,
          ProductOfColumns<float>};
}
static MatrixKernels<double> KernelsOfDouble() {
  return {2 * HWY_LANES(double),   Pack<double>, Unpack<double>, SubtractProduct<double>,
          Solve<double>,           Lu<double>,   Qr<double>,     QrOfColumns<double>,
          ProductOfColumns<double>};
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::matrix
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

template <>
MatrixKernels<float> MatrixKernelsFor<float>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, matrix::KernelsOfFloat)();
}
template <>
MatrixKernels<double> MatrixKernelsFor<double>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, matrix::KernelsOfDouble)();
}

}  // namespace sinter::runtime::cpu
#endif
