// Complex numbers across lanes, where they come from and where they go to: blocks, columns, rows.
// Compiled for each instruction set, as often as Highway includes the file.
#if defined(SINTER_FFT_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef SINTER_FFT_LANES
#undef SINTER_FFT_LANES
#else
#define SINTER_FFT_LANES
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::fft {

namespace hn = hwy::HWY_NAMESPACE;
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 16")

template <class T>
using Lanes = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Lanes<T>>;
#undef LANES
#define LANES static_cast<int64_t>(HWY_LANES(T))
#undef BLOCK_BYTES
#define BLOCK_BYTES (2 * LANES * static_cast<int64_t>(sizeof(T)))

template <class T>
HWY_INLINE Vector<T> Load(const T* p) {
  return hn::LoadU(Lanes<T>(), p);
}
template <class T>
HWY_INLINE void Store(Vector<T> v, T* p) {
  hn::StoreU(v, Lanes<T>(), p);
}
template <class T>
HWY_INLINE Vector<T> Splat(T x) {
  return hn::Set(Lanes<T>(), x);
}

#if HWY_TARGET == HWY_AVX2
// Halves come from memory and go there by themselves: to exchange them between registers takes a
// second shuffle, and many steps on processors whose registers are pairs of halves.
template <class T>
HWY_INLINE Vector<T> LoadHalves(const T* low, const T* high) {
  const hn::Half<Lanes<T>> half;
  return hn::Combine(Lanes<T>(), hn::LoadU(half, high), hn::LoadU(half, low));
}
template <class T>
HWY_INLINE void StoreHalves(Vector<T> v, T* low, T* high) {
  const hn::Half<Lanes<T>> half;
  hn::StoreU(hn::LowerHalf(half, v), half, low);
  hn::StoreU(hn::UpperHalf(half, v), half, high);
}
#endif

template <class T>
struct Complex {
  Vector<T> re, im;
};
template <class T>
HWY_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class T>
HWY_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class T>
HWY_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
          hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
template <class T>
HWY_INLINE Complex<T> Pair(const T* p) {
  return {Splat(p[0]), Splat(p[1])};
}
template <class T>
HWY_INLINE Complex<T> LoadBlock(const T* p) {
  return {Load(p), Load(p + LANES)};
}
template <class T>
HWY_INLINE void StoreBlock(Complex<T> c, T* p) {
  Store(c.re, p);
  Store(c.im, p + LANES);
}
template <class T>
HWY_INLINE Complex<T> Conjugate(Complex<T> c) {
  return {c.re, hn::Neg(c.im)};
}
template <class T>
HWY_INLINE Complex<T> TimesMinusI(Complex<T> c) {
  return {c.im, hn::Neg(c.re)};
}

// --- where elements come from and go to: strides are numbers of bytes

template <class T>
HWY_INLINE const T* Moved(const T* p, int64_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(p) + bytes);
}
template <class T>
HWY_INLINE T* Moved(T* p, int64_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(p) + bytes);
}

template <class T>
struct FromBlocks {
  const T* at;
  int64_t stride;
  HWY_INLINE Complex<T> Get(const T* p) const { return LoadBlock(p); }
};
template <class T>
struct FromColumns {
  const T* at;
  int64_t stride;
  Vector<T> sign;  // of imaginary parts: its sign bits flip theirs
  HWY_INLINE Complex<T> Get(const T* p) const {
#if HWY_TARGET == HWY_AVX2
    const Vector<T> a = LoadHalves(p, p + LANES);
    const Vector<T> b = LoadHalves(p + LANES / 2, p + LANES + LANES / 2);
    if constexpr (sizeof(T) == 4) {
      return {Vector<T>{_mm256_shuffle_ps(a.raw, b.raw, 0x88)},
              hn::Xor(Vector<T>{_mm256_shuffle_ps(a.raw, b.raw, 0xdd)}, sign)};
    } else {
      return {Vector<T>{_mm256_unpacklo_pd(a.raw, b.raw)},
              hn::Xor(Vector<T>{_mm256_unpackhi_pd(a.raw, b.raw)}, sign)};
    }
#else
    const Lanes<T> d;
    const Vector<T> a = Load(p), b = Load(p + LANES);
    return {hn::ConcatEven(d, b, a), hn::Xor(hn::ConcatOdd(d, b, a), sign)};
#endif
  }
};

// `factor` is element i of `twiddles`. kLast: only last passes, where m is 1, write so.
template <class T>
struct ToBlocks {
  static constexpr bool kTwiddles = false, kLast = false;
  T* at;
  int64_t stride;
  HWY_INLINE void Put(Complex<T> c, T* p, const T*) const { StoreBlock(c, p); }
};
// Factors are pairs, for all lanes, or blocks.
template <class T, bool kPairs>
struct ToBlocksTimes {
  static constexpr bool kTwiddles = true, kLast = true;
  T* at;
  int64_t stride;
  const T* twiddles;
  int64_t twiddle_stride;
  HWY_INLINE void Put(Complex<T> c, T* p, const T* factor) const {
    if constexpr (kPairs) {
      StoreBlock(c * Pair(factor), p);
    } else {
      StoreBlock(c * LoadBlock(factor), p);
    }
  }
};
template <class T>
struct ToColumns {
  static constexpr bool kTwiddles = false, kLast = true;
  T* at;
  int64_t stride;
  Vector<T> scale_re, scale_im;
  bool stream;  // past the caches; `at` and the stride are whole lines of a cache
  HWY_INLINE void Put(Complex<T> c, T* to, const T*) const {
    const Vector<T> re = hn::Mul(c.re, scale_re), im = hn::Mul(c.im, scale_im);
#if HWY_TARGET == HWY_AVX3
    if constexpr (sizeof(T) == 4) {
      const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
      StoreOrStream(Vector<T>{_mm512_permutex2var_ps(re.raw, low, im.raw)}, to);
      StoreOrStream(Vector<T>{_mm512_permutex2var_ps(re.raw, high, im.raw)}, to + LANES);
    } else {
      const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
      const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
      StoreOrStream(Vector<T>{_mm512_permutex2var_pd(re.raw, low, im.raw)}, to);
      StoreOrStream(Vector<T>{_mm512_permutex2var_pd(re.raw, high, im.raw)}, to + LANES);
    }
#else
    const Lanes<T> d;
    const Vector<T> low = hn::InterleaveLower(d, re, im), high = hn::InterleaveUpper(d, re, im);
#if HWY_TARGET == HWY_AVX2
    if (stream) {
      const hn::Half<Lanes<T>> half;
      hn::Stream(hn::LowerHalf(half, low), half, to);
      hn::Stream(hn::LowerHalf(half, high), half, to + LANES / 2);
      hn::Stream(hn::UpperHalf(half, low), half, to + LANES);
      hn::Stream(hn::UpperHalf(half, high), half, to + LANES + LANES / 2);
      return;
    }
    StoreHalves(low, to, to + LANES);
    StoreHalves(high, to + LANES / 2, to + LANES + LANES / 2);
#else
    StoreOrStream(low, to);
    StoreOrStream(high, to + LANES);
#endif
#endif
  }

 private:
  HWY_INLINE void StoreOrStream(Vector<T> v, T* to) const {
    if (stream) {
      hn::Stream(v, Lanes<T>(), to);
    } else {
      Store(v, to);
    }
  }
};

// Element i of what is read or written becomes element first + i * step.
template <class T>
HWY_INLINE FromBlocks<T> Part(FromBlocks<T> x, int64_t first, int64_t step) {
  return {Moved(x.at, first * x.stride), x.stride * step};
}
template <class T>
HWY_INLINE FromColumns<T> Part(FromColumns<T> x, int64_t first, int64_t step) {
  return {Moved(x.at, first * x.stride), x.stride * step, x.sign};
}
template <class T>
HWY_INLINE ToBlocks<T> Part(ToBlocks<T> x, int64_t first, int64_t step) {
  return {Moved(x.at, first * x.stride), x.stride * step};
}
template <class T, bool kPairs>
HWY_INLINE ToBlocksTimes<T, kPairs> Part(ToBlocksTimes<T, kPairs> x, int64_t first, int64_t step) {
  return {Moved(x.at, first * x.stride), x.stride * step,
          Moved(x.twiddles, first * x.twiddle_stride), x.twiddle_stride * step};
}
template <class T>
HWY_INLINE ToColumns<T> Part(ToColumns<T> x, int64_t first, int64_t step) {
  return {Moved(x.at, first * x.stride), x.stride * step, x.scale_re, x.scale_im, x.stream};
}
template <class T, class To>
HWY_INLINE const T* Factors(To to) {
  if constexpr (To::kTwiddles) {
    return to.twiddles;
  } else {
    return nullptr;
  }
}
template <class To>
HWY_INLINE int64_t FactorStride(To to) {
  if constexpr (To::kTwiddles) {
    return to.twiddle_stride;
  } else {
    return 0;
  }
}

// --- rows to lanes and back

#if HWY_TARGET == HWY_AVX3
// Quarters of four vectors exchanged as in a transposed matrix.
template <class V>
HWY_INLINE void ExchangeQuarters(V& a, V& b, V& c, V& d) {
  auto shuffle = [](V x, V y, auto order) HWY_ATTR {
    constexpr int kOrder = decltype(order)::value;
    if constexpr (sizeof(hn::TFromV<V>) == 4) {
      return V{_mm512_shuffle_f32x4(x.raw, y.raw, kOrder)};
    } else {
      return V{_mm512_shuffle_f64x2(x.raw, y.raw, kOrder)};
    }
  };
  using Even = std::integral_constant<int, 0x88>;
  using Odd = std::integral_constant<int, 0xdd>;
  const V p = shuffle(a, b, Even()), q = shuffle(a, b, Odd());
  const V r = shuffle(c, d, Even()), s = shuffle(c, d, Odd());
  a = shuffle(p, r, Even());
  c = shuffle(p, r, Odd());
  b = shuffle(q, s, Even());
  d = shuffle(q, s, Odd());
}
#endif

// A square matrix of LANES rows, of vectors of 32 bytes with their halves exchanged.
template <class T>
HWY_INLINE void TransposeRows(const Vector<T>* in, Vector<T>* v) {
  const Lanes<T> d;
  constexpr int kLanes = HWY_LANES(T), kInner = 16 / sizeof(T);
  // Within pieces of 16 bytes.
  Vector<T> t[kLanes];
  UNROLLED for (int i = 0; i < kLanes; i += 2) {
    t[i] = hn::InterleaveLower(d, in[i], in[i + 1]);
    t[i + 1] = hn::InterleaveUpper(d, in[i], in[i + 1]);
  }
  if constexpr (kInner == 4) {
    const hn::RepartitionToWide<Lanes<T>> wide;
    UNROLLED for (int i = 0; i < kLanes; i += 4) {
      const auto a = hn::BitCast(wide, t[i]), b = hn::BitCast(wide, t[i + 2]);
      const auto e = hn::BitCast(wide, t[i + 1]), f = hn::BitCast(wide, t[i + 3]);
      t[i] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
      t[i + 1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
      t[i + 2] = hn::BitCast(d, hn::InterleaveLower(wide, e, f));
      t[i + 3] = hn::BitCast(d, hn::InterleaveUpper(wide, e, f));
    }
  }
#if HWY_TARGET == HWY_AVX3
  UNROLLED for (int i = 0; i < kInner; ++i) {
    Vector<T> a = t[i], b = t[kInner + i], c = t[2 * kInner + i], e = t[3 * kInner + i];
    ExchangeQuarters(a, b, c, e);
    v[i] = a;
    v[kInner + i] = b;
    v[2 * kInner + i] = c;
    v[3 * kInner + i] = e;
  }
#else
  UNROLLED for (int i = 0; i < kLanes; ++i) v[i] = t[i];
#endif
}

// The same, row l at rows(l). With vectors of 32 bytes the halves of rows are exchanged as they are
// loaded.
template <class T, class Rows>
HWY_INLINE void LoadTransposed(Rows rows, Vector<T>* v) {
  constexpr int kLanes = HWY_LANES(T);
  Vector<T> in[kLanes];
#if HWY_TARGET == HWY_AVX2
  constexpr int kInner = 16 / sizeof(T);
  UNROLLED for (int i = 0; i < kInner; ++i) {
    in[i] = LoadHalves(rows(i), rows(i + kInner));
    in[i + kInner] = LoadHalves(rows(i) + kInner, rows(i + kInner) + kInner);
  }
#else
  UNROLLED for (int i = 0; i < kLanes; ++i) in[i] = Load(rows(i));
#endif
  TransposeRows<T>(in, v);
}

// `count` numbers of each of `lines` rows; number f of all rows at to + f * pitch. Of odd numbers
// those bits are flipped that `sign` has.
template <class T>
HWY_NOINLINE void RowsToLanes(const T* from, int64_t stride, int64_t lines, int64_t count,
                              Vector<T> sign, T* to, int64_t pitch) {
  constexpr int64_t kLanes = LANES;
  const T* rows[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) rows[l] = from + std::min(l, lines - 1) * stride;
  int64_t f = 0;
  for (; f + kLanes <= count; f += kLanes) {
    Vector<T> v[kLanes];
    LoadTransposed<T>([&](int64_t l) HWY_ATTR { return rows[l] + f; }, v);
    UNROLLED for (int64_t l = 0; l < kLanes; ++l)
        Store(l % 2 == 0 ? v[l] : hn::Xor(v[l], sign), to + (f + l) * pitch);
  }
#if HWY_TARGET == HWY_AVX3
  if (f == count) return;
  const Lanes<T> d;
  const auto rest = hn::FirstN(d, static_cast<size_t>(count - f));
  Vector<T> in[kLanes], v[kLanes];
  UNROLLED for (int64_t l = 0; l < kLanes; ++l) in[l] = hn::MaskedLoad(rest, d, rows[l] + f);
  TransposeRows<T>(in, v);
  UNROLLED for (int64_t l = 0; l < kLanes; ++l) {
    if (f + l < count) Store(l % 2 == 0 ? v[l] : hn::Xor(v[l], sign), to + (f + l) * pitch);
  }
#else
  for (; f < count; ++f) {
    T* block = to + f * pitch;
    for (int64_t l = 0; l < kLanes; ++l) block[l] = rows[l][f];
    if (f % 2 != 0) Store(hn::Xor(Load(block), sign), block);
  }
#endif
}
template <class T>
HWY_NOINLINE void LanesToRows(const T* from, int64_t pitch, int64_t count, Vector<T> scale_even,
                              Vector<T> scale_odd, int64_t lines, T* to, int64_t stride) {
  constexpr int64_t kLanes = LANES;
  const Vector<T> scale = hn::OddEven(scale_odd, scale_even);
  int64_t f = 0;
  for (; f + kLanes <= count; f += kLanes) {
    Vector<T> v[kLanes];
    LoadTransposed<T>([&](int64_t l) HWY_ATTR { return from + (f + l) * pitch; }, v);
    if (HWY_LIKELY(lines == kLanes)) {
      UNROLLED for (int64_t l = 0; l < kLanes; ++l)
          Store(hn::Mul(v[l], scale), to + l * stride + f);
    } else {
      UNROLLED for (int64_t l = 0; l < kLanes; ++l) {
        if (l < lines) Store(hn::Mul(v[l], scale), to + l * stride + f);
      }
    }
  }
#if HWY_TARGET == HWY_AVX3
  if (f == count) return;
  const Lanes<T> d;
  const auto rest = hn::FirstN(d, static_cast<size_t>(count - f));
  Vector<T> in[kLanes], v[kLanes];
  UNROLLED for (int64_t l = 0; l < kLanes; ++l) {
    in[l] = hn::Zero(d);
    if (f + l < count) in[l] = Load(from + (f + l) * pitch);
  }
  TransposeRows<T>(in, v);
  UNROLLED for (int64_t l = 0; l < kLanes; ++l) {
    if (l < lines) hn::BlendedStore(hn::Mul(v[l], scale), rest, d, to + l * stride + f);
  }
#else
  for (; f < count; ++f) {
    HWY_ALIGN T block[kLanes];
    Store(hn::Mul(Load(from + f * pitch), f % 2 == 0 ? scale_even : scale_odd), block);
    for (int64_t l = 0; l < lines; ++l) to[l * stride + f] = block[l];
  }
#endif
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::fft
HWY_AFTER_NAMESPACE();

#endif  // SINTER_FFT_LANES
