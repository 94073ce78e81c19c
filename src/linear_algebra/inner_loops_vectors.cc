#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linear_algebra/inner_loops_vectors.cc"
#include "base/vector_targets.h"
#include "linear_algebra/inner_loops.h"

#include <algorithm>
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::linear_algebra::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Columns that are read together: their sums and factors stay in registers.
#define UNROLLED _Pragma("GCC unroll 4")

template <class R>
using Tag = hn::ScalableTag<R>;
template <class R>
using Reals = hn::Vec<Tag<R>>;
template <class R>
HWY_INLINE int64_t Lanes() {
  return static_cast<int64_t>(hn::Lanes(Tag<R>()));
}
// The first `n` elements, zeros behind.
template <class R>
HWY_INLINE Reals<R> LoadPart(const R* x, int64_t n) {
  return hn::MaskedLoad(hn::FirstN(Tag<R>(), static_cast<size_t>(n)), Tag<R>(), x);
}
template <class R>
HWY_INLINE void StorePart(Reals<R> v, R* x, int64_t n) {
  hn::BlendedStore(v, hn::FirstN(Tag<R>(), static_cast<size_t>(n)), Tag<R>(), x);
}
template <class R>
HWY_INLINE R SumOf(Reals<R> v) {
  return hn::GetLane(hn::SumOfLanes(Tag<R>(), v));
}

// One step of a sum over x and y: a real product, or the two halves of a complex one.
template <class R>
struct RealTerms {
  Reals<R> sum;
  HWY_INLINE void Clear() { sum = hn::Zero(Tag<R>()); }
  HWY_INLINE void Add(Reals<R> x, Reals<R> y) { sum = hn::MulAdd(x, y, sum); }
  HWY_INLINE void Add(const RealTerms& other) { sum = hn::Add(sum, other.sum); }
};
template <class R>
struct ComplexTerms {
  Reals<R> straight, crossed;
  HWY_INLINE void Clear() { straight = crossed = hn::Zero(Tag<R>()); }
  HWY_INLINE void Add(Reals<R> x, Reals<R> y) {
    straight = hn::MulAdd(x, y, straight);
    crossed = hn::MulAdd(x, hn::Reverse2(Tag<R>(), y), crossed);
  }
  HWY_INLINE void Add(const ComplexTerms& other) {
    straight = hn::Add(straight, other.straight);
    crossed = hn::Add(crossed, other.crossed);
  }
};

// Of n real numbers.
template <class Terms, class R>
HWY_INLINE Terms SumOfTerms(const R* x, const R* y, int64_t n) {
  const Tag<R> d;
  const int64_t lanes = Lanes<R>();
  Terms a, b, c, e;
  a.Clear();
  b.Clear();
  c.Clear();
  e.Clear();
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a.Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    b.Add(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes));
    c.Add(hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes));
    e.Add(hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a.Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
  if (i < n) b.Add(LoadPart(x + i, n - i), LoadPart(y + i, n - i));
  a.Add(b);
  c.Add(e);
  a.Add(c);
  return a;
}

template <class R>
HWY_NOINLINE void SumReals(const R* x, const R* y, int64_t n, R* sum) {
  *sum = SumOf<R>(SumOfTerms<RealTerms<R>>(x, y, n).sum);
}
// Of n complex numbers: re re' and im im', re im' and im re'.
template <class R>
HWY_NOINLINE void SumComplex(const R* x, const R* y, int64_t n, R* sums) {
  const Tag<R> d;
  const ComplexTerms<R> terms = SumOfTerms<ComplexTerms<R>>(x, y, 2 * n);
  const auto zero = hn::Zero(d);
  sums[0] = SumOf<R>(hn::OddEven(zero, terms.straight));
  sums[1] = SumOf<R>(hn::OddEven(terms.straight, zero));
  sums[2] = SumOf<R>(hn::OddEven(zero, terms.crossed));
  sums[3] = SumOf<R>(hn::OddEven(terms.crossed, zero));
}

template <class R>
HWY_NOINLINE void AddReals(R a, const R* x, R* y, int64_t n) {
  const Tag<R> d;
  const int64_t lanes = Lanes<R>();
  const auto factor = hn::Set(d, a);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto low = hn::MulAdd(factor, hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    const auto high = hn::MulAdd(factor, hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes));
    hn::StoreU(low, d, y + i);
    hn::StoreU(high, d, y + i + lanes);
  }
  for (; i < n; i += lanes) {
    const int64_t count = HWY_MIN(n - i, lanes);
    StorePart<R>(hn::MulAdd(factor, LoadPart(x + i, count), LoadPart(y + i, count)), y + i, count);
  }
}
template <class R>
HWY_NOINLINE void AddComplex(R re, R im, const R* x, R* y, int64_t n) {
  const Tag<R> d;
  const int64_t lanes = Lanes<R>();
  const auto straight = hn::Set(d, re), crossed = hn::OddEven(hn::Set(d, im), hn::Set(d, -im));
  auto sum = [&](Reals<R> from, Reals<R> to) HWY_ATTR {
    to = hn::MulAdd(straight, from, to);
    return hn::MulAdd(crossed, hn::Reverse2(d, from), to);
  };
  int64_t i = 0;
  for (; i + lanes <= 2 * n; i += lanes)
    hn::StoreU(sum(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  if (const int64_t count = 2 * n - i; count > 0)
    StorePart<R>(sum(LoadPart(x + i, count), LoadPart(y + i, count)), y + i, count);
}

// A factor, real or complex, of interleaved numbers.
template <class R, bool kComplex>
struct Factor {
  Reals<R> straight, crossed;
  HWY_INLINE void Set(const R* parts) {
    const Tag<R> d;
    straight = hn::Set(d, parts[0]);
    if constexpr (kComplex) crossed = hn::OddEven(hn::Set(d, parts[1]), hn::Set(d, -parts[1]));
  }
  HWY_INLINE Reals<R> MulAdd(Reals<R> x, Reals<R> sum) const {
    sum = hn::MulAdd(straight, x, sum);
    if constexpr (kComplex) sum = hn::MulAdd(crossed, hn::Reverse2(Tag<R>(), x), sum);
    return sum;
  }
};
template <class R, bool kComplex>
using Terms = std::conditional_t<kComplex, ComplexTerms<R>, RealTerms<R>>;

// conj(x) y of the terms.
template <class R>
HWY_INLINE void PutSum(const RealTerms<R>& terms, R* sum) {
  sum[0] = SumOf<R>(terms.sum);
}
template <class R>
HWY_INLINE void PutSum(const ComplexTerms<R>& terms, R* sum) {
  const Tag<R> d;
  const auto zero = hn::Zero(d);
  sum[0] = SumOf<R>(terms.straight);
  sum[1] = SumOf<R>(hn::OddEven(zero, terms.crossed)) - SumOf<R>(hn::OddEven(terms.crossed, zero));
}

// body(i, load, store) for each vector of n real numbers, the last one by parts.
template <class R, class Body>
HWY_INLINE void ForEachVector(int64_t n, const Body& body) {
  const Tag<R> d;
  const int64_t lanes = Lanes<R>();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    body(
        i, [d](const R* x) HWY_ATTR { return hn::LoadU(d, x); },
        [d](Reals<R> v, R* x) HWY_ATTR { hn::StoreU(v, d, x); });
  }
  if (const int64_t rest = n - i; rest > 0) {
    body(
        i, [rest](const R* x) HWY_ATTR { return LoadPart(x, rest); },
        [rest](Reals<R> v, R* x) HWY_ATTR { StorePart<R>(v, x, rest); });
  }
}

// `factors` times x, a column each, is added to kColumns columns of n real numbers.
template <int kColumns, bool kComplex, class R>
HWY_INLINE void AddToColumns(const R* factors, const R* x, R* a, int64_t stride, int64_t n) {
  Factor<R, kComplex> f[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) f[k].Set(factors + (kComplex ? 2 : 1) * k);
  ForEachVector<R>(n, [&](int64_t i, auto load, auto store) HWY_ATTR {
    const auto v = load(x + i);
    UNROLLED for (int k = 0; k < kColumns; ++k) {
      R* const at = a + k * stride + i;
      store(f[k].MulAdd(v, load(at)), at);
    }
  });
}
template <int kColumns, bool kComplex, class R>
HWY_INLINE void ReflectSome(const R* v, const R* tau, R* a, int64_t stride, int64_t n) {
  constexpr int kParts = kComplex ? 2 : 1;
  Terms<R, kComplex> terms[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) terms[k].Clear();
  ForEachVector<R>(n, [&](int64_t i, auto load, auto) HWY_ATTR {
    const auto x = load(v + i);
    UNROLLED for (int k = 0; k < kColumns; ++k) terms[k].Add(x, load(a + k * stride + i));
  });
  R factors[kParts * kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    R sum[2], *const f = factors + kParts * k;
    PutSum(terms[k], sum);
    if constexpr (kComplex) {
      f[0] = tau[1] * sum[1] - tau[0] * sum[0];
      f[1] = -(tau[0] * sum[1] + tau[1] * sum[0]);
    } else {
      f[0] = -tau[0] * sum[0];
    }
  }
  AddToColumns<kColumns, kComplex>(factors, v, a, stride, n);
}
// Columns a become a - tau v (v^H a).
template <class R, bool kComplex>
HWY_NOINLINE void Reflect(const R* v, const R* tau, R* a, int64_t stride, int64_t n,
                          int64_t columns) {
  int64_t j = 0;
  for (; j + 4 <= columns; j += 4) ReflectSome<4, kComplex>(v, tau, a + j * stride, stride, n);
  for (; j < columns; ++j) ReflectSome<1, kComplex>(v, tau, a + j * stride, stride, n);
}
template <class R, bool kComplex>
HWY_NOINLINE void AddOuter(const R* factors, const R* x, R* a, int64_t stride, int64_t n,
                           int64_t columns) {
  constexpr int kParts = kComplex ? 2 : 1;
  int64_t j = 0;
  for (; j + 4 <= columns; j += 4)
    AddToColumns<4, kComplex>(factors + kParts * j, x, a + j * stride, stride, n);
  for (; j < columns; ++j)
    AddToColumns<1, kComplex>(factors + kParts * j, x, a + j * stride, stride, n);
}

template <int kColumns, bool kComplex, class R>
HWY_INLINE void AddSomeColumns(const R* factors, const R* a, int64_t stride, int64_t n, R* sum) {
  Factor<R, kComplex> f[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) f[k].Set(factors + (kComplex ? 2 : 1) * k);
  ForEachVector<R>(n, [&](int64_t i, auto load, auto store) HWY_ATTR {
    auto total = load(sum + i);
    UNROLLED for (int k = 0; k < kColumns; ++k) total =
        f[k].MulAdd(load(a + k * stride + i), total);
    store(total, sum + i);
  });
}
template <class R, bool kComplex>
HWY_NOINLINE void AddColumns(const R* factors, const R* a, int64_t stride, int64_t n,
                             int64_t columns, R* sum) {
  constexpr int kParts = kComplex ? 2 : 1;
  int64_t j = 0;
  for (; j + 4 <= columns; j += 4)
    AddSomeColumns<4, kComplex>(factors + kParts * j, a + j * stride, stride, n, sum);
  for (; j < columns; ++j)
    AddSomeColumns<1, kComplex>(factors + kParts * j, a + j * stride, stride, n, sum);
}

// Columns below the diagonal of a symmetric matrix: SymmetricStep.
template <int kColumns, bool kComplex, class R>
HWY_INLINE void StepSome(const SymmetricColumns<R>& s, R* a, int64_t stride, int64_t n, R* sums) {
  constexpr int kParts = kComplex ? 2 : 1;
  Factor<R, kComplex> first[kColumns], second[kColumns], here[kColumns];
  Terms<R, kComplex> terms[kColumns];
  UNROLLED for (int k = 0; k < kColumns; ++k) {
    first[k].Set(s.first + kParts * k);
    second[k].Set(s.second + kParts * k);
    here[k].Set(s.here + kParts * k);
    terms[k].Clear();
  }
  ForEachVector<R>(n, [&](int64_t i, auto load, auto store) HWY_ATTR {
    const auto x = load(s.x + i), z = load(s.z + i), v = load(s.v + i);
    auto w = load(s.w + i);
    UNROLLED for (int k = 0; k < kColumns; ++k) {
      R* const at = a + k * stride + i;
      const auto column = second[k].MulAdd(z, first[k].MulAdd(x, load(at)));
      store(column, at);
      terms[k].Add(column, v);
      w = here[k].MulAdd(column, w);
    }
    store(w, s.w + i);
  });
  UNROLLED for (int k = 0; k < kColumns; ++k) PutSum(terms[k], sums + kParts * k);
}
template <class R, bool kComplex>
HWY_NOINLINE void Step(const SymmetricColumns<R>& s, R* a, int64_t stride, int64_t n,
                       int64_t columns, R* sums) {
  if (columns == kSymmetricColumns)
    return StepSome<kSymmetricColumns, kComplex>(s, a, stride, n, sums);
  StepSome<1, kComplex>(s, a, stride, n, sums);
}

// Reflections of three neighbouring columns, one column after another, of some rows.
template <class R>
HWY_NOINLINE void ReflectThreesSlices(const Three<R>* by, int64_t count, R* a, int64_t stride,
                                      int64_t rows, int64_t columns) {
  const int64_t lanes = Lanes<R>();
  const Tag<R> d;
  auto slice = [&](R* at, auto load, auto store) HWY_ATTR {
    auto x = load(at), y = load(at + stride);
    for (int64_t k = 0; k < count; ++k, at += stride) {
      const bool has_third = k + 2 < columns;
      const auto z = has_third ? load(at + 2 * stride) : hn::Zero(d);
      const auto second = hn::Set(d, by[k].second), third = hn::Set(d, by[k].third);
      auto sum = hn::MulAdd(third, z, hn::MulAdd(second, y, x));
      sum = hn::Mul(sum, hn::Set(d, by[k].tau));
      store(hn::Sub(x, sum), at);
      x = hn::NegMulAdd(second, sum, y);
      y = hn::NegMulAdd(third, sum, z);
    }
    store(x, at);
    if (count + 1 < columns) store(y, at + stride);
  };
  int64_t i = 0;
  for (; i + lanes <= rows; i += lanes) {
    slice(
        a + i, [d](const R* x) HWY_ATTR { return hn::LoadU(d, x); },
        [d](Reals<R> v, R* x) HWY_ATTR { hn::StoreU(v, d, x); });
  }
  if (const int64_t rest = rows - i; rest > 0) {
    slice(
        a + i, [rest](const R* x) HWY_ATTR { return LoadPart(x, rest); },
        [rest](Reals<R> v, R* x) HWY_ATTR { StorePart<R>(v, x, rest); });
  }
}

// `rows` at most 4 vectors of columns, packed: column j stands at a[4 * lanes * j].
template <class R>
HWY_INLINE void SweepOver(R* a, const Sweep<R>& sweep) {
  const Tag<R> d;
  const int64_t lanes = Lanes<R>(), width = 4 * lanes;
  const R* rotation = sweep.rotations;
  if (sweep.count == 0) return;
  // Column `first` forwards, `first` + 1 backwards is carried in registers.
  const int64_t step = sweep.backwards ? -width : width;
  R* at = a + (sweep.backwards ? sweep.first + 1 : sweep.first) * width;
  auto c0 = hn::Load(d, at), c1 = hn::Load(d, at + lanes), c2 = hn::Load(d, at + 2 * lanes),
       c3 = hn::Load(d, at + 3 * lanes);
  for (int64_t k = 0; k < sweep.count; ++k, rotation += 2) {
    R* next = at + step;
    const auto cosine = hn::Set(d, rotation[0]);
    // Backwards the carried column is the second of the two.
    const auto sine = hn::Set(d, sweep.backwards ? -rotation[1] : rotation[1]);
    auto turn = [&](Reals<R>& carried, R* to, R* from) HWY_ATTR {
      const auto other = hn::Load(d, from);
      hn::Store(hn::MulAdd(cosine, carried, hn::Mul(sine, other)), d, to);
      carried = hn::NegMulAdd(sine, carried, hn::Mul(cosine, other));
    };
    turn(c0, at, next);
    turn(c1, at + lanes, next + lanes);
    turn(c2, at + 2 * lanes, next + 2 * lanes);
    turn(c3, at + 3 * lanes, next + 3 * lanes);
    at = next;
  }
  hn::Store(c0, d, at);
  hn::Store(c1, d, at + lanes);
  hn::Store(c2, d, at + 2 * lanes);
  hn::Store(c3, d, at + 3 * lanes);
}

// On rows of a matrix, as many as RowsOfASlice says or less. `scratch`, aligned to a vector, has
// place for as many times its columns.
template <class R>
HWY_NOINLINE void RotateSlice(R* a, int64_t stride, int64_t rows, int64_t columns,
                              const Sweep<R>* sweeps, int64_t count, R* scratch) {
  const int64_t width = 4 * Lanes<R>();
  for (int64_t j = 0; j < columns; ++j) {
    R* const to = scratch + j * width;
    std::memcpy(to, a + j * stride, static_cast<size_t>(rows) * sizeof(R));
    std::fill(to + rows, to + width, R(0));
  }
  for (int64_t s = 0; s < count; ++s) SweepOver(scratch, sweeps[s]);
  for (int64_t j = 0; j < columns; ++j) {
    std::memcpy(a + j * stride, scratch + j * width, static_cast<size_t>(rows) * sizeof(R));
  }
}
template <class R>
HWY_NOINLINE int64_t RowsOfASlice() {
  return 4 * Lanes<R>();
}

// By names without a comma.
template <class R>
void ReflectReals(const R* v, const R* tau, R* a, int64_t stride, int64_t n, int64_t columns) {
  Reflect<R, false>(v, tau, a, stride, n, columns);
}
template <class R>
void ReflectComplexes(const R* v, const R* tau, R* a, int64_t stride, int64_t n, int64_t columns) {
  Reflect<R, true>(v, tau, a, stride, n, columns);
}
template <class R>
void AddOuterReals(const R* factors, const R* x, R* a, int64_t stride, int64_t n, int64_t columns) {
  AddOuter<R, false>(factors, x, a, stride, n, columns);
}
template <class R>
void AddOuterComplexes(const R* factors, const R* x, R* a, int64_t stride, int64_t n,
                       int64_t columns) {
  AddOuter<R, true>(factors, x, a, stride, n, columns);
}
template <class R>
void AddColumnsReals(const R* factors, const R* a, int64_t stride, int64_t n, int64_t columns,
                     R* sum) {
  AddColumns<R, false>(factors, a, stride, n, columns, sum);
}
template <class R>
void AddColumnsComplexes(const R* factors, const R* a, int64_t stride, int64_t n, int64_t columns,
                         R* sum) {
  AddColumns<R, true>(factors, a, stride, n, columns, sum);
}
template <class R>
void StepReals(const SymmetricColumns<R>& s, R* a, int64_t stride, int64_t n, int64_t columns,
               R* sums) {
  Step<R, false>(s, a, stride, n, columns, sums);
}
template <class R>
void StepComplexes(const SymmetricColumns<R>& s, R* a, int64_t stride, int64_t n, int64_t columns,
                   R* sums) {
  Step<R, true>(s, a, stride, n, columns, sums);
}

#undef UNROLLED
}  // namespace sinter::linear_algebra::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::linear_algebra {
namespace {

template <class R>
struct Loops {
  void (*sum_reals)(const R*, const R*, int64_t, R*);
  void (*sum_complex)(const R*, const R*, int64_t, R*);
  void (*add_reals)(R, const R*, R*, int64_t);
  void (*add_complex)(R, R, const R*, R*, int64_t);
  void (*reflect[2])(const R*, const R*, R*, int64_t, int64_t, int64_t);
  void (*add_outer[2])(const R*, const R*, R*, int64_t, int64_t, int64_t);
  void (*add_columns[2])(const R*, const R*, int64_t, int64_t, int64_t, R*);
  void (*step[2])(const SymmetricColumns<R>&, R*, int64_t, int64_t, int64_t, R*);
  void (*reflect_threes)(const Three<R>*, int64_t, R*, int64_t, int64_t, int64_t);
  void (*rotate_slice)(R*, int64_t, int64_t, int64_t, const Sweep<R>*, int64_t, R*);
  int64_t rows_of_a_slice;
};

template <class R>
const Loops<R>& HostLoops() {
  static const Loops<R> loops = [] {
    const VectorTarget target = HostVectorTarget();
    return Loops<R>{SINTER_FOR_VECTOR_TARGET(target, SumReals<R>),
                    SINTER_FOR_VECTOR_TARGET(target, SumComplex<R>),
                    SINTER_FOR_VECTOR_TARGET(target, AddReals<R>),
                    SINTER_FOR_VECTOR_TARGET(target, AddComplex<R>),
                    {SINTER_FOR_VECTOR_TARGET(target, ReflectReals<R>),
                     SINTER_FOR_VECTOR_TARGET(target, ReflectComplexes<R>)},
                    {SINTER_FOR_VECTOR_TARGET(target, AddOuterReals<R>),
                     SINTER_FOR_VECTOR_TARGET(target, AddOuterComplexes<R>)},
                    {SINTER_FOR_VECTOR_TARGET(target, AddColumnsReals<R>),
                     SINTER_FOR_VECTOR_TARGET(target, AddColumnsComplexes<R>)},
                    {SINTER_FOR_VECTOR_TARGET(target, StepReals<R>),
                     SINTER_FOR_VECTOR_TARGET(target, StepComplexes<R>)},
                    SINTER_FOR_VECTOR_TARGET(target, ReflectThreesSlices<R>),
                    SINTER_FOR_VECTOR_TARGET(target, RotateSlice<R>),
                    SINTER_FOR_VECTOR_TARGET(target, RowsOfASlice<R>)()};
  }();
  return loops;
}

template <class T>
const RealOf<T>* Parts(const T* x) {
  return reinterpret_cast<const RealOf<T>*>(x);
}
template <class T>
RealOf<T>* Parts(T* x) {
  return reinterpret_cast<RealOf<T>*>(x);
}

}  // namespace

template <class T>
T Dot(const T* x, const T* y, int64_t n) {
  using R = RealOf<T>;
  const Loops<R>& loops = HostLoops<R>();
  if constexpr (kIsComplex<T>) {
    R s[4];
    loops.sum_complex(Parts(x), Parts(y), n, s);
    return {s[0] + s[1], s[2] - s[3]};
  } else {
    R s;
    loops.sum_reals(x, y, n, &s);
    return s;
  }
}
template <class T>
T Product(const T* x, const T* y, int64_t n) {
  using R = RealOf<T>;
  if constexpr (kIsComplex<T>) {
    R s[4];
    HostLoops<R>().sum_complex(Parts(x), Parts(y), n, s);
    return {s[0] - s[1], s[2] + s[3]};
  } else {
    return Dot(x, y, n);
  }
}
template <class T>
void Add(T a, const T* x, T* y, int64_t n) {
  const Loops<RealOf<T>>& loops = HostLoops<RealOf<T>>();
  if constexpr (kIsComplex<T>) {
    loops.add_complex(a.real(), a.imag(), Parts(x), Parts(y), n);
  } else {
    loops.add_reals(a, x, y, n);
  }
}
template <class T>
void ReflectColumnsBy(const T* v, T tau, T* a, int64_t stride, int64_t rows, int64_t columns) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  HostLoops<RealOf<T>>().reflect[kParts - 1](Parts(v), Parts(&tau), Parts(a), kParts * stride,
                                             kParts * rows, columns);
}
template <class T>
void AddOuterProduct(const T* factors, const T* x, const Matrix<T>& a) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  HostLoops<RealOf<T>>().add_outer[kParts - 1](Parts(factors), Parts(x), Parts(a.data),
                                               kParts * a.stride, kParts * a.rows, a.columns);
}
template <class T>
void AddProduct(const Matrix<T>& a, const T* factors, T* sum) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  HostLoops<RealOf<T>>().add_columns[kParts - 1](Parts(factors), Parts(a.data), kParts * a.stride,
                                                 kParts * a.rows, a.columns, Parts(sum));
}
template <class T>
void StepBelow(const SymmetricColumns<RealOf<T>>& columns, T* a, int64_t stride, int64_t rows,
               int64_t count, T* sums) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  HostLoops<RealOf<T>>().step[kParts - 1](columns, Parts(a), kParts * stride, kParts * rows, count,
                                          Parts(sums));
}
template <class R>
void ReflectThrees(const Three<R>* by, int64_t count, const Matrix<R>& a) {
  if (a.rows > 0 && count > 0)
    HostLoops<R>().reflect_threes(by, count, a.data, a.stride, a.rows, a.columns);
}

// Complex columns are real ones of twice as many rows.
template <class T>
void Rotate(const Matrix<T>& a, const Sweep<RealOf<T>>* sweeps, int64_t count,
            const Threads& threads) {
  using R = RealOf<T>;
  const Loops<R>& loops = HostLoops<R>();
  const int64_t parts = kIsComplex<T> ? 2 : 1, rows = parts * a.rows;
  const int64_t slice = loops.rows_of_a_slice, slices = (rows + slice - 1) / slice;
  constexpr int64_t kAlignment = 64 / sizeof(R);
  const int64_t scratch = a.columns * slice;
  std::vector<R> space(static_cast<size_t>(scratch * threads.count() + kAlignment));
  const auto misplaced =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(space.data()) / sizeof(R)) % kAlignment;
  R* const first = space.data() + (kAlignment - misplaced) % kAlignment;
  threads.ForEach(slices, [&](int64_t i, int seat) {
    loops.rotate_slice(Parts(a.data) + i * slice, parts * a.stride,
                       std::min(slice, rows - i * slice), a.columns, sweeps, count,
                       first + seat * scratch);
  });
}

#define SINTER_INSTANTIATE(T)                                                                   \
  template T Dot<T>(const T*, const T*, int64_t);                                               \
  template T Product<T>(const T*, const T*, int64_t);                                           \
  template void Add<T>(T, const T*, T*, int64_t);                                               \
  template void ReflectColumnsBy<T>(const T*, T, T*, int64_t, int64_t, int64_t);                \
  template void AddOuterProduct<T>(const T*, const T*, const Matrix<T>&);                       \
  template void AddProduct<T>(const Matrix<T>&, const T*, T*);                                  \
  template void StepBelow<T>(const SymmetricColumns<RealOf<T>>&, T*, int64_t, int64_t, int64_t, \
                             T*);                                                               \
  template void Rotate<T>(const Matrix<T>&, const Sweep<RealOf<T>>*, int64_t, const Threads&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE
template void ReflectThrees<float>(const Three<float>*, int64_t, const Matrix<float>&);
template void ReflectThrees<double>(const Three<double>*, int64_t, const Matrix<double>&);

}  // namespace sinter::linear_algebra
#endif
