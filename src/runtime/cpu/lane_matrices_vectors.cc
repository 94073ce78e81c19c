#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/lane_matrices_vectors.cc"
#include "runtime/cpu/lane_matrices_vectors.h"

#include <algorithm>
#include <limits>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/fft_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::lane_matrices {

namespace hn = hwy::HWY_NAMESPACE;
using fft::Lanes;
using fft::Load;
using fft::Splat;
using fft::Store;
using fft::Vector;

template <class T>
void Gather(const T* from, int64_t stride, int64_t matrices, int64_t count, T* to) {
  fft::RowsToLanes(from, stride, matrices, count, hn::Zero(Lanes<T>()), to, LANES);
}

template <class T>
void Scatter(const T* from, int64_t stride, int64_t matrices, int64_t count, T* to) {
  const Vector<T> one = Splat(T{1});
  fft::LanesToRows(from, LANES, count, one, one, matrices, to, stride);
}

// x / divisor, by the reciprocal in the lanes where that does not overflow, whatever the others
// are.
template <class T>
struct LaneDivisor {
  Vector<T> divisor, reciprocal;
  hn::Mask<Lanes<T>> is_finite;
  bool divides;
  explicit HWY_INLINE LaneDivisor(Vector<T> d)
      : divisor(d),
        reciprocal(hn::Div(Splat(T{1}), d)),
        is_finite(hn::IsFinite(reciprocal)),
        divides(!hn::AllTrue(Lanes<T>(), is_finite)) {}
  HWY_INLINE Vector<T> operator()(Vector<T> x) const {
    const Vector<T> product = hn::Mul(x, reciprocal);
    return divides ? hn::IfThenElse(is_finite, product, hn::Div(x, divisor)) : product;
  }
};

// Cholesky factors of n x n matrices in place, element (r, c) at a.at + (r * a.row + c * a.column)
// vectors, from their lower triangles; column after column, of which a few rows and columns are in
// registers together: subtractions in the order of the columns before, each one rounding.
template <class T>
class CholeskyInLanes {
 public:
  HWY_INLINE CholeskyInLanes(const MatrixView<T>& a, int64_t n)
      : a_(a), n_(n), elements_(const_cast<T*>(a.at)) {}

  HWY_INLINE void Run() {
    int64_t j = 0;
    for (; j + 2 <= n_; j += 2) Columns<2>(j);
    if (j < n_) Columns<1>(j);
    if (hn::AllTrue(Lanes<T>(), is_factored_)) return;
    const Vector<T> nan = Splat(std::numeric_limits<T>::quiet_NaN());
    for (int64_t r = 0; r < n_; ++r) {
      for (int64_t c = 0; c <= r; ++c)
        Store(hn::IfThenElse(is_factored_, Load(At(r, c)), nan), At(r, c));
    }
  }

 private:
  HWY_INLINE T* At(int64_t r, int64_t c) const {
    return elements_ + (r * a_.row + c * a_.column) * LANES;
  }

  // Elements of kRows rows from r and kColumns columns from j, less the products of what is left of
  // them.
  template <int kRows, int kColumns>
  HWY_INLINE void Remainders(int64_t r, int64_t j, Vector<T> (&x)[kRows][kColumns]) const {
    UNROLLED for (int y = 0; y < kRows; ++y) {
      UNROLLED for (int c = 0; c < kColumns; ++c) x[y][c] = Load(At(r + y, j + c));
    }
    for (int64_t k = 0; k < j; ++k) {
      Vector<T> of_columns[kColumns];
      UNROLLED for (int c = 0; c < kColumns; ++c) of_columns[c] = Load(At(j + c, k));
      UNROLLED for (int y = 0; y < kRows; ++y) {
        const Vector<T> factor = Load(At(r + y, k));
        UNROLLED for (int c = 0; c < kColumns; ++c) x[y][c] =
            hn::NegMulAdd(factor, of_columns[c], x[y][c]);
      }
    }
  }

  template <int kRows, int kColumns>
  HWY_INLINE void Rows(int64_t r, int64_t j, const LaneDivisor<T> (&divisors)[kColumns]) const {
    Vector<T> x[kRows][kColumns];
    Remainders(r, j, x);
    UNROLLED for (int c = 0; c < kColumns; ++c) {
      UNROLLED for (int y = 0; y < kRows; ++y) {
        x[y][c] = divisors[c](x[y][c]);
        Store(x[y][c], At(r + y, j + c));
        Store(hn::Zero(Lanes<T>()), At(j + c, r + y));
        UNROLLED for (int d = c + 1; d < kColumns; ++d) x[y][d] =
            hn::NegMulAdd(x[y][c], Load(At(j + d, j + c)), x[y][d]);
      }
    }
  }

  template <int kColumns>
  HWY_INLINE void Columns(int64_t j) {
    const Lanes<T> d;
    Vector<T> x[kColumns][kColumns];
    Remainders(j, j, x);
    Vector<T> roots[kColumns];
    UNROLLED for (int c = 0; c < kColumns; ++c) {
      is_factored_ = hn::And(is_factored_, hn::Gt(x[c][c], hn::Zero(d)));
      roots[c] = hn::Sqrt(x[c][c]);
      Store(roots[c], At(j + c, j + c));
      const LaneDivisor<T> divisor(roots[c]);
      UNROLLED for (int y = c + 1; y < kColumns; ++y) {
        x[y][c] = divisor(x[y][c]);
        Store(x[y][c], At(j + y, j + c));
        Store(hn::Zero(d), At(j + c, j + y));
        UNROLLED for (int e = c + 1; e <= y; ++e) x[y][e] =
            hn::NegMulAdd(x[y][c], x[e][c], x[y][e]);
      }
    }
    constexpr int kRows = 4;
    int64_t r = j + kColumns;
    if constexpr (kColumns == 2) {
      const LaneDivisor<T> divisors[] = {LaneDivisor<T>(roots[0]), LaneDivisor<T>(roots[1])};
      for (; r + kRows <= n_; r += kRows) Rows<kRows>(r, j, divisors);
      for (; r < n_; ++r) Rows<1>(r, j, divisors);
    }
  }

  const MatrixView<T> a_;
  const int64_t n_;
  T* const elements_;
  hn::Mask<Lanes<T>> is_factored_ = hn::Eq(hn::Zero(Lanes<T>()), hn::Zero(Lanes<T>()));
};
template <class T>
void Cholesky(const MatrixView<T>& a, int64_t n) {
  CholeskyInLanes<T>(a, n).Run();
}

// kColumns columns of one row of x.
template <int kColumns, class T>
HWY_INLINE void SolveRow(const MatrixView<T>& a, bool unit_diagonal, int64_t r, int64_t first,
                         const MatrixView<T>& b) {
  constexpr int64_t kLanes = LANES;
  T* const x = const_cast<T*>(b.at) + first * b.column * kLanes;
  const T* const row = a.at + r * a.row * kLanes;
  Vector<T> sum[kColumns];
  UNROLLED for (int c = 0; c < kColumns; ++c) sum[c] =
      Load(x + (r * b.row + c * b.column) * kLanes);
  for (int64_t k = 0; k < r; ++k) {
    const Vector<T> factor = Load(row + k * a.column * kLanes);
    UNROLLED for (int c = 0; c < kColumns; ++c) sum[c] =
        hn::NegMulAdd(factor, Load(x + (k * b.row + c * b.column) * kLanes), sum[c]);
  }
  if (!unit_diagonal) {
    const Vector<T> diagonal = Load(row + r * a.column * kLanes);
    UNROLLED for (int c = 0; c < kColumns; ++c) sum[c] = hn::Div(sum[c], diagonal);
  }
  UNROLLED for (int c = 0; c < kColumns; ++c)
      Store(sum[c], x + (r * b.row + c * b.column) * kLanes);
}

template <class T>
void Solve(const MatrixView<T>& a, bool unit_diagonal, int64_t n, int64_t others,
           const MatrixView<T>& b) {
  constexpr int kColumns = 4;
  for (int64_t r = 0; r < n; ++r) {
    int64_t c = 0;
    for (; c + kColumns <= others; c += kColumns) SolveRow<kColumns>(a, unit_diagonal, r, c, b);
    for (; c < others; ++c) SolveRow<1>(a, unit_diagonal, r, c, b);
  }
}

// Row j becomes, in each lane, row `pivot`, which is j or a later one: kColumns columns from c on.
// What it was goes to `old`.
template <int kColumns, class T>
HWY_INLINE void TakeRow(T* a, int64_t m, int64_t n, int64_t j, int64_t c, Vector<T> pivot, T* old) {
  constexpr int64_t kLanes = LANES;
  T* const top = a + (j * n + c) * kLanes;
  Vector<T> x[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    x[k] = Load(top + k * kLanes);
    Store(x[k], old + (c + k) * kLanes);
  }
  for (int64_t r = j + 1; r < m; ++r) {
    const auto is_pivot = hn::Eq(pivot, Splat(static_cast<T>(r)));
    const T* const row = a + (r * n + c) * kLanes;
    UNROLLED for (int k = 0; k < kColumns; ++k) x[k] =
        hn::IfThenElse(is_pivot, Load(row + k * kLanes), x[k]);
  }
  UNROLLED for (int k = 0; k < kColumns; ++k) Store(x[k], top + k * kLanes);
}
template <class T>
HWY_INLINE void TakeRow(T* a, int64_t m, int64_t n, int64_t j, Vector<T> pivot, T* old) {
  constexpr int kColumns = 4;
  int64_t c = 0;
  for (; c + kColumns <= n; c += kColumns) TakeRow<kColumns>(a, m, n, j, c, pivot, old);
  for (; c < n; ++c) TakeRow<1>(a, m, n, j, c, pivot, old);
}

// Rows first to first + kRows: in the lanes where one is the pivot it is `old`, if kExchanges; then
// their factors, and the rest minus those times row j.
template <bool kExchanges, int kRows, class T>
HWY_INLINE void Eliminate(T* a, int64_t n, int64_t j, int64_t first, const LaneDivisor<T>& divisor,
                          Vector<T> pivot, const T* old) {
  constexpr int64_t kLanes = LANES;
  const T* const top = a + j * n * kLanes;
  T* const rows = a + first * n * kLanes;
  hn::Mask<Lanes<T>> is_pivot[kRows];
  if constexpr (kExchanges) {
    UNROLLED for (int r = 0; r < kRows; ++r) is_pivot[r] =
        hn::Eq(pivot, Splat(static_cast<T>(first + r)));
    for (int64_t c = 0; c < j; ++c) {
      const Vector<T> other = Load(old + c * kLanes);
      UNROLLED for (int r = 0; r < kRows; ++r) {
        T* const x = rows + (r * n + c) * kLanes;
        Store(hn::IfThenElse(is_pivot[r], other, Load(x)), x);
      }
    }
  }
  auto at = [&](int r, int64_t c) HWY_ATTR {
    const Vector<T> x = Load(rows + (r * n + c) * kLanes);
    if constexpr (!kExchanges) return x;
    return hn::IfThenElse(is_pivot[r], Load(old + c * kLanes), x);
  };
  Vector<T> factor[kRows];
  UNROLLED for (int r = 0; r < kRows; ++r) {
    factor[r] = divisor(at(r, j));
    Store(factor[r], rows + (r * n + j) * kLanes);
  }
  for (int64_t c = j + 1; c < n; ++c) {
    const Vector<T> t = Load(top + c * kLanes);
    UNROLLED for (int r = 0; r < kRows; ++r)
        Store(hn::NegMulAdd(factor[r], t, at(r, c)), rows + (r * n + c) * kLanes);
  }
}
template <bool kExchanges, class T>
HWY_INLINE void EliminateColumn(T* a, int64_t m, int64_t n, int64_t j, Vector<T> pivot,
                                const T* old) {
  constexpr int kRows = 4;
  const Vector<T> value = Load(a + (j * n + j) * LANES);
  const LaneDivisor<T> divisor(
      hn::IfThenElse(hn::Eq(value, hn::Zero(Lanes<T>())), Splat(T{1}), value));
  int64_t r = j + 1;
  for (; r + kRows <= m; r += kRows) Eliminate<kExchanges, kRows>(a, n, j, r, divisor, pivot, old);
  for (; r < m; ++r) Eliminate<kExchanges, 1>(a, n, j, r, divisor, pivot, old);
}

template <class T>
void Lu(T* a, int64_t m, int64_t n, T* numbers) {
  constexpr int64_t kLanes = LANES;
  const Lanes<T> d;
  T *const pivots = numbers, *const order = pivots + std::min(m, n) * kLanes,
           *const old = order + m * kLanes;
  for (int64_t r = 0; r < m; ++r) Store(Splat(static_cast<T>(r)), order + r * kLanes);
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    const Vector<T> here = Splat(static_cast<T>(j));
    Vector<T> largest = hn::Abs(Load(a + (j * n + j) * kLanes)), pivot = here;
    for (int64_t r = j + 1; r < m; ++r) {
      const Vector<T> size = hn::Abs(Load(a + (r * n + j) * kLanes));
      const auto is_larger = hn::Gt(size, largest);
      largest = hn::IfThenElse(is_larger, size, largest);
      pivot = hn::IfThenElse(is_larger, Splat(static_cast<T>(r)), pivot);
    }
    Store(pivot, pivots + j * kLanes);
    if (hn::AllTrue(d, hn::Eq(pivot, here))) {
      EliminateColumn<false>(a, m, n, j, pivot, old);
      continue;
    }
    TakeRow(a, m, n, j, pivot, old);
    EliminateColumn<true>(a, m, n, j, pivot, old);
    const Vector<T> top = Load(order + j * kLanes);
    TakeRow<1>(order, m, int64_t{1}, j, int64_t{0}, pivot, old);
    for (int64_t r = j + 1; r < m; ++r) {
      const auto is_pivot = hn::Eq(pivot, Splat(static_cast<T>(r)));
      Store(hn::IfThenElse(is_pivot, top, Load(order + r * kLanes)), order + r * kLanes);
    }
  }
}

template <class T>
void ScatterNumbers(const T* from, int64_t matrices, int64_t count, int32_t* to) {
  for (int64_t l = 0; l < matrices; ++l) {
    for (int64_t k = 0; k < count; ++k)
      to[l * count + k] = static_cast<int32_t>(from[k * LANES + l]);
  }
}

// Columns c to c + kColumns of a [m, n], reflected by (1, v), whose v are in rows below j of column
// j of `vectors` [m, stride].
template <int kColumns, class T>
HWY_INLINE void Reflect(const T* vectors, int64_t stride, int64_t j, Vector<T> tau, T* a, int64_t m,
                        int64_t n, int64_t c) {
  constexpr int64_t kLanes = LANES;
  Vector<T> sum[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) sum[k] = Load(a + (j * n + c + k) * kLanes);
  for (int64_t r = j + 1; r < m; ++r) {
    const Vector<T> v = Load(vectors + (r * stride + j) * kLanes);
    UNROLLED for (int k = 0; k < kColumns; ++k) sum[k] =
        hn::MulAdd(v, Load(a + (r * n + c + k) * kLanes), sum[k]);
  }
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    T* const x = a + (j * n + c + k) * kLanes;
    sum[k] = hn::Mul(sum[k], tau);
    Store(hn::Sub(Load(x), sum[k]), x);
  }
  for (int64_t r = j + 1; r < m; ++r) {
    const Vector<T> v = Load(vectors + (r * stride + j) * kLanes);
    UNROLLED for (int k = 0; k < kColumns; ++k) {
      T* const x = a + (r * n + c + k) * kLanes;
      Store(hn::NegMulAdd(v, sum[k], Load(x)), x);
    }
  }
}
template <class T>
HWY_INLINE void ReflectColumns(const T* vectors, int64_t stride, int64_t j, Vector<T> tau, T* a,
                               int64_t m, int64_t n, int64_t first) {
  constexpr int kColumns = 4;
  int64_t c = first;
  for (; c + kColumns <= n; c += kColumns) Reflect<kColumns>(vectors, stride, j, tau, a, m, n, c);
  for (; c < n; ++c) Reflect<1>(vectors, stride, j, tau, a, m, n, c);
}

template <class T>
void Qr(T* a, int64_t m, int64_t n, T* taus) {
  constexpr int64_t kLanes = LANES;
  const Lanes<T> d;
  const Vector<T> one = Splat(T{1}), zero = hn::Zero(d);
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    auto at = [&](int64_t r) HWY_ATTR { return a + (r * n + j) * kLanes; };
    const Vector<T> alpha = Load(at(j));
    // Such that squares neither overflow nor vanish.
    Vector<T> largest = hn::Max(hn::Abs(alpha), Splat(std::numeric_limits<T>::min()));
    for (int64_t r = j + 1; r < m; ++r) largest = hn::Max(largest, hn::Abs(Load(at(r))));
    const Vector<T> scale = hn::Div(one, largest);
    Vector<T> below = zero;
    for (int64_t r = j + 1; r < m; ++r) {
      const Vector<T> x = hn::Mul(Load(at(r)), scale);
      below = hn::MulAdd(x, x, below);
    }
    const auto is_done = hn::Eq(below, zero);
    const Vector<T> scaled = hn::Mul(alpha, scale);
    const Vector<T> norm = hn::Mul(largest, hn::Sqrt(hn::MulAdd(scaled, scaled, below)));
    const Vector<T> beta =
        hn::IfThenElse(is_done, alpha, hn::IfThenElse(hn::Ge(alpha, zero), hn::Neg(norm), norm));
    const Vector<T> tau = hn::IfThenElse(
        is_done, zero, hn::Div(hn::Sub(beta, alpha), hn::IfThenElse(is_done, one, beta)));
    const LaneDivisor<T> divisor(hn::IfThenElse(is_done, one, hn::Sub(alpha, beta)));
    for (int64_t r = j + 1; r < m; ++r) Store(divisor(Load(at(r))), at(r));
    Store(beta, at(j));
    Store(tau, taus + j * kLanes);
    ReflectColumns(a, n, j, tau, a, m, n, j + 1);
  }
}

template <class T>
void HouseholderProduct(const T* a, const T* taus, int64_t m, int64_t n, int64_t count, T* to) {
  constexpr int64_t kLanes = LANES;
  std::fill_n(to, m * n * kLanes, T{0});
  for (int64_t i = 0; i < std::min(m, n); ++i) std::fill_n(to + i * (n + 1) * kLanes, kLanes, T{1});
  // Of the columns before j nothing is left in the rows from there on.
  for (int64_t j = count - 1; j >= 0; --j)
    ReflectColumns(a, n, j, Load(taus + j * kLanes), to, m, n, j);
}

static LaneKernels<float> KernelsOfFloat() {
  return {HWY_LANES(float),      Gather<float>, Scatter<float>,
          Cholesky<float>,       Solve<float>,  Lu<float>,
          ScatterNumbers<float>, Qr<float>,     HouseholderProduct<float>};
}
static LaneKernels<double> KernelsOfDouble() {
  return {HWY_LANES(double),      Gather<double>, Scatter<double>,
          Cholesky<double>,       Solve<double>,  Lu<double>,
          ScatterNumbers<double>, Qr<double>,     HouseholderProduct<double>};
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::lane_matrices
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

template <>
LaneKernels<float> LaneKernelsFor<float>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, lane_matrices::KernelsOfFloat)();
}
template <>
LaneKernels<double> LaneKernelsFor<double>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, lane_matrices::KernelsOfDouble)();
}

}  // namespace sinter::runtime::cpu
#endif
