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
      if (r + 2 <= n_) {
        Rows<2>(r, j, divisors);
        r += 2;
      }
      if (r < n_) Rows<1>(r, j, divisors);
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

// The reflections of columns p and p + 1, whose vectors are below the diagonal of a [m, stride].
template <class T>
struct ReflectionPair {
  const T* a;
  int64_t m, stride, p;
  Vector<T> tau_p, tau_q;
  Vector<T> product;  // of the two vectors
  explicit HWY_INLINE ReflectionPair(const T* a, int64_t m, int64_t stride, int64_t p,
                                     Vector<T> tau_p, Vector<T> tau_q)
      : a(a), m(m), stride(stride), p(p), tau_p(tau_p), tau_q(tau_q) {
    Vector<T> even = Load(At(p + 1, 0)), odd = hn::Zero(Lanes<T>());
    int64_t r = p + 2;
    for (; r + 2 <= m; r += 2) {
      even = hn::MulAdd(Load(At(r, 0)), Load(At(r, 1)), even);
      odd = hn::MulAdd(Load(At(r + 1, 0)), Load(At(r + 1, 1)), odd);
    }
    if (r < m) even = hn::MulAdd(Load(At(r, 0)), Load(At(r, 1)), even);
    product = hn::Add(even, odd);
  }
  HWY_INLINE const T* At(int64_t r, int64_t column) const {
    return a + (r * stride + p + column) * LANES;
  }
};

// work.template operator()<kCount>(i) for i from `first` to `end` in parts of almost the same
// length, at most six: accumulators for two sums each, which hide the latency of multiply-adds.
template <class Work>
HWY_INLINE void InEvenParts(int64_t first, int64_t end, Work work) {
  constexpr int64_t kMost = 6;
  for (int64_t parts = (end - first + kMost - 1) / kMost; parts > 0; --parts) {
    const int64_t count = (end - first + parts - 1) / parts;
    switch (count) {
      case 1:
        work.template operator()<1>(first);
        break;
      case 2:
        work.template operator()<2>(first);
        break;
      case 3:
        work.template operator()<3>(first);
        break;
      case 4:
        work.template operator()<4>(first);
        break;
      case 5:
        work.template operator()<5>(first);
        break;
      default:
        work.template operator()<6>(first);
        break;
    }
    first += count;
  }
}

// Columns c to c + kColumns of x [m, n], reflected twice: both are read once for the products with
// the two vectors, and once to subtract these.
template <bool kUpperFirst, int kColumns, class T>
HWY_INLINE void ReflectTwice(const ReflectionPair<T>& pair, T* x, int64_t n, int64_t c) {
  constexpr int64_t kLanes = LANES;
  const int64_t p = pair.p, q = p + 1;
  auto at = [&](int64_t r, int k) HWY_ATTR { return x + (r * n + c + k) * kLanes; };
  Vector<T> of_p[kColumns], of_q[kColumns];
  const Vector<T> corner = Load(pair.At(q, 0));
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    of_q[k] = Load(at(q, k));
    of_p[k] = hn::MulAdd(corner, of_q[k], Load(at(p, k)));
  }
  for (int64_t r = q + 1; r < pair.m; ++r) {
    const Vector<T> u = Load(pair.At(r, 0)), v = Load(pair.At(r, 1));
    UNROLLED for (int k = 0; k < kColumns; ++k) {
      const Vector<T> y = Load(at(r, k));
      of_p[k] = hn::MulAdd(u, y, of_p[k]);
      of_q[k] = hn::MulAdd(v, y, of_q[k]);
    }
  }
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    if constexpr (kUpperFirst) {
      of_p[k] = hn::Mul(of_p[k], pair.tau_p);
      of_q[k] = hn::Mul(hn::NegMulAdd(pair.product, of_p[k], of_q[k]), pair.tau_q);
    } else {
      of_q[k] = hn::Mul(of_q[k], pair.tau_q);
      of_p[k] = hn::Mul(hn::NegMulAdd(pair.product, of_q[k], of_p[k]), pair.tau_p);
    }
    Store(hn::Sub(Load(at(p, k)), of_p[k]), at(p, k));
    Store(hn::NegMulAdd(corner, of_p[k], hn::Sub(Load(at(q, k)), of_q[k])), at(q, k));
  }
  for (int64_t r = q + 1; r < pair.m; ++r) {
    const Vector<T> u = Load(pair.At(r, 0)), v = Load(pair.At(r, 1));
    UNROLLED for (int k = 0; k < kColumns; ++k)
        Store(hn::NegMulAdd(v, of_q[k], hn::NegMulAdd(u, of_p[k], Load(at(r, k)))), at(r, k));
  }
}
template <bool kUpperFirst, class T>
HWY_INLINE void ReflectTwice(const ReflectionPair<T>& pair, T* x, int64_t n, int64_t first) {
  InEvenParts(first, n, [&]<int kColumns>(int64_t c) HWY_ATTR {
    ReflectTwice<kUpperFirst, kColumns>(pair, x, n, c);
  });
}

// sum + the products of elements of a and b, `stride` vectors apart: several sums side by side, as
// one would wait for its last term each time.
template <class T>
HWY_INLINE Vector<T> Product(const T* a, int64_t a_stride, const T* b, int64_t b_stride,
                             int64_t count, Vector<T> sum) {
  constexpr int64_t kLanes = LANES;
  constexpr int kSums = 4;
  Vector<T> sums[kSums];
  sums[0] = sum;
  UNROLLED for (int s = 1; s < kSums; ++s) sums[s] = hn::Zero(Lanes<T>());
  int64_t r = 0;
  for (; r + kSums <= count; r += kSums) {
    UNROLLED for (int s = 0; s < kSums; ++s) sums[s] = hn::MulAdd(
        Load(a + (r + s) * a_stride * kLanes), Load(b + (r + s) * b_stride * kLanes), sums[s]);
  }
  for (; r < count; ++r)
    sums[0] = hn::MulAdd(Load(a + r * a_stride * kLanes), Load(b + r * b_stride * kLanes), sums[0]);
  return hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
}

// Column c of x [m, n], reflected by (1, v), whose v are in rows below j of column j of `vectors`
// [m, stride].
template <class T>
HWY_INLINE void ReflectColumn(const T* vectors, int64_t stride, int64_t j, Vector<T> tau, T* x,
                              int64_t m, int64_t n, int64_t c) {
  constexpr int64_t kLanes = LANES;
  const T* const v = vectors + ((j + 1) * stride + j) * kLanes;
  T *const top = x + (j * n + c) * kLanes, *const below = top + n * kLanes;
  const Vector<T> product = hn::Mul(Product(v, stride, below, n, m - j - 1, Load(top)), tau);
  Store(hn::Sub(Load(top), product), top);
  for (int64_t r = 0; r < m - j - 1; ++r) {
    T* const to = below + r * n * kLanes;
    Store(hn::NegMulAdd(Load(v + r * stride * kLanes), product, Load(to)), to);
  }
}

// The reflection that leaves nothing of column j below the diagonal: beta, or R's element, and tau
// in their places, and its vector below.
template <class T>
HWY_INLINE Vector<T> MakeReflection(T* a, int64_t m, int64_t n, int64_t j, T* taus) {
  constexpr int64_t kLanes = LANES;
  const Lanes<T> d;
  const Vector<T> one = Splat(T{1}), zero = hn::Zero(d);
  T *const top = a + (j * n + j) * kLanes, *const column = top + n * kLanes;
  const int64_t count = m - j - 1;
  const Vector<T> alpha = Load(top);
  Vector<T> below = Product(column, n, column, n, count, zero);
  Vector<T> norm = hn::Sqrt(hn::MulAdd(alpha, alpha, below));
  // Where squares overflow or vanish they are those of the column over its largest element.
  constexpr T kLeast = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() /
                       std::numeric_limits<T>::epsilon();
  const auto is_exact = hn::And(hn::Ge(below, Splat(kLeast)), hn::IsFinite(norm));
  if (count > 0 && HWY_UNLIKELY(!hn::AllTrue(d, is_exact))) {
    Vector<T> largest = hn::Max(hn::Abs(alpha), Splat(std::numeric_limits<T>::min()));
    for (int64_t r = 0; r < count; ++r)
      largest = hn::Max(largest, hn::Abs(Load(column + r * n * kLanes)));
    const Vector<T> scale = hn::Div(one, largest);
    Vector<T> squares = zero;
    for (int64_t r = 0; r < count; ++r) {
      const Vector<T> x = hn::Mul(Load(column + r * n * kLanes), scale);
      squares = hn::MulAdd(x, x, squares);
    }
    const Vector<T> scaled = hn::Mul(alpha, scale);
    const Vector<T> slow = hn::Mul(largest, hn::Sqrt(hn::MulAdd(scaled, scaled, squares)));
    norm = hn::IfThenElse(is_exact, norm, slow);
    below = hn::IfThenElse(is_exact, below, squares);
  }
  const auto is_done = hn::Eq(below, zero);
  const Vector<T> beta =
      hn::IfThenElse(is_done, alpha, hn::IfThenElse(hn::Ge(alpha, zero), hn::Neg(norm), norm));
  const Vector<T> tau = hn::IfThenElse(
      is_done, zero, hn::Div(hn::Sub(beta, alpha), hn::IfThenElse(is_done, one, beta)));
  const LaneDivisor<T> divisor(hn::IfThenElse(is_done, one, hn::Sub(alpha, beta)));
  for (int64_t r = 0; r < count; ++r)
    Store(divisor(Load(column + r * n * kLanes)), column + r * n * kLanes);
  Store(beta, top);
  Store(tau, taus + j * kLanes);
  return tau;
}

template <class T>
void Qr(T* a, int64_t m, int64_t n, T* taus) {
  const int64_t count = std::min(m, n);
  for (int64_t p = 0; p + 2 <= count; p += 2) {
    const Vector<T> tau_p = MakeReflection(a, m, n, p, taus);
    ReflectColumn(a, n, p, tau_p, a, m, n, p + 1);
    const Vector<T> tau_q = MakeReflection(a, m, n, p + 1, taus);
    if (p + 2 == n) break;
    const ReflectionPair<T> pair(a, m, n, p, tau_p, tau_q);
    ReflectTwice</*kUpperFirst=*/true>(pair, a, n, p + 2);
  }
  if (count % 2 == 0) return;
  const Vector<T> tau = MakeReflection(a, m, n, count - 1, taus);
  for (int64_t c = count; c < n; ++c) ReflectColumn(a, n, count - 1, tau, a, m, n, c);
}

// Column j of the unit matrix, reflected by the vector in that column of a [m, n].
template <class T>
HWY_INLINE void ReflectUnit(const T* a, int64_t j, Vector<T> tau, T* to, int64_t m, int64_t n) {
  constexpr int64_t kLanes = LANES;
  const int64_t top = j * n + j;
  for (int64_t r = 0; r < j; ++r) Store(hn::Zero(Lanes<T>()), to + (r * n + j) * kLanes);
  Store(hn::Sub(Splat(T{1}), tau), to + top * kLanes);
  const Vector<T> factor = hn::Neg(tau);
  for (int64_t r = 1; r < m - j; ++r) {
    const int64_t at = (top + r * n) * kLanes;
    Store(hn::Mul(Load(a + at), factor), to + at);
  }
}

template <class T>
void HouseholderProduct(const T* a, const T* taus, int64_t m, int64_t n, int64_t count, T* to) {
  constexpr int64_t kLanes = LANES;
  for (int64_t r = 0; r < m; ++r)
    std::fill_n(to + (r * n + count) * kLanes, (n - count) * kLanes, T{0});
  for (int64_t i = count; i < std::min(m, n); ++i)
    std::fill_n(to + i * (n + 1) * kLanes, kLanes, T{1});
  // Of the columns before j nothing is left in the rows from there on.
  int64_t j = count - 1;
  for (; j >= 1; j -= 2) {
    const Vector<T> tau_p = Load(taus + (j - 1) * kLanes), tau_q = Load(taus + j * kLanes);
    ReflectUnit(a, j, tau_q, to, m, n);
    ReflectColumn(a, n, j - 1, tau_p, to, m, n, j);
    ReflectUnit(a, j - 1, tau_p, to, m, n);
    if (j + 1 < n)
      ReflectTwice</*kUpperFirst=*/false>(ReflectionPair<T>(a, m, n, j - 1, tau_p, tau_q), to, n,
                                          j + 1);
  }
  if (j < 0) return;
  const Vector<T> tau = Load(taus);
  for (int64_t c = 1; c < n; ++c) ReflectColumn(a, n, int64_t{0}, tau, to, m, n, c);
  ReflectUnit(a, int64_t{0}, tau, to, m, n);
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
