// Transforms of as many lines as there are lanes, in Stockham's passes: each lane has a transform
// of its own, so that nothing but what comes from memory in other orders needs to be shuffled.
// Compiled for each instruction set, as often as Highway includes the file.
#if defined(SINTER_FFT_PASSES) == defined(HWY_TARGET_TOGGLE)
#ifdef SINTER_FFT_PASSES
#undef SINTER_FFT_PASSES
#else
#define SINTER_FFT_PASSES
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "runtime/cpu/fft_lanes-inl.h"
#include "runtime/cpu/fft_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::fft {

// --- transforms of a few elements, in registers

template <class T>
HWY_INLINE void Butterfly2(Complex<T>* x) {
  const Complex<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}
template <class T>
HWY_INLINE void Butterfly4(Complex<T>* x) {
  const Complex<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3];
  const Complex<T> d = x[1] - x[3];
  x[0] = a + c;
  x[2] = a - c;
  x[1] = {hn::Add(b.re, d.im), hn::Sub(b.im, d.re)};
  x[3] = {hn::Sub(b.re, d.im), hn::Add(b.im, d.re)};
}
template <class T>
HWY_INLINE void Butterfly8(Complex<T>* x) {
  Complex<T> e[4] = {x[0], x[2], x[4], x[6]}, o[4] = {x[1], x[3], x[5], x[7]};
  Butterfly4(e);
  Butterfly4(o);
  const Vector<T> h = Splat(static_cast<T>(0.70710678118654752440L));
  o[1] = {hn::Mul(hn::Add(o[1].re, o[1].im), h), hn::Mul(hn::Sub(o[1].im, o[1].re), h)};
  // The others are used with their signs changed where that saves a negation.
  const Vector<T> re3 = hn::Mul(hn::Sub(o[3].im, o[3].re), h);
  const Vector<T> im3 = hn::Mul(hn::Add(o[3].re, o[3].im), h);
  x[0] = e[0] + o[0];
  x[4] = e[0] - o[0];
  x[1] = e[1] + o[1];
  x[5] = e[1] - o[1];
  x[2] = {hn::Add(e[2].re, o[2].im), hn::Sub(e[2].im, o[2].re)};
  x[6] = {hn::Sub(e[2].re, o[2].im), hn::Add(e[2].im, o[2].re)};
  x[3] = {hn::Add(e[3].re, re3), hn::Sub(e[3].im, im3)};
  x[7] = {hn::Sub(e[3].re, re3), hn::Add(e[3].im, im3)};
}
// Odd lengths: elements j and n - j together, whose roots are conjugates.
template <int kRadix, class T>
HWY_INLINE void OddButterfly(Complex<T>* x, const T* roots) {
  constexpr int kHalf = kRadix / 2;
  Complex<T> sum[kHalf], difference[kHalf], even[kHalf], odd[kHalf];
  Complex<T> total = x[0];
  UNROLLED for (int k = 0; k < kHalf; ++k) {
    sum[k] = x[k + 1] + x[kRadix - 1 - k];
    difference[k] = x[k + 1] - x[kRadix - 1 - k];
    total = total + sum[k];
  }
  UNROLLED for (int j = 0; j < kHalf; ++j) {
    even[j] = x[0];
    UNROLLED for (int k = 0; k < kHalf; ++k) {
      const int power = (j + 1) * (k + 1) % kRadix;
      const Vector<T> c = Splat(roots[power]), s = Splat(roots[kRadix + power]);
      even[j] = {hn::MulAdd(sum[k].re, c, even[j].re), hn::MulAdd(sum[k].im, c, even[j].im)};
      odd[j] = k == 0 ? Complex<T>{hn::Mul(difference[k].re, s), hn::Mul(difference[k].im, s)}
                      : Complex<T>{hn::MulAdd(difference[k].re, s, odd[j].re),
                                   hn::MulAdd(difference[k].im, s, odd[j].im)};
    }
  }
  x[0] = total;
  UNROLLED for (int j = 0; j < kHalf; ++j) {
    // Minus i times `odd` belongs to element j + 1.
    x[j + 1] = {hn::Add(even[j].re, odd[j].im), hn::Sub(even[j].im, odd[j].re)};
    x[kRadix - 1 - j] = {hn::Sub(even[j].re, odd[j].im), hn::Add(even[j].im, odd[j].re)};
  }
}

template <int kRadix, class T>
HWY_INLINE void Butterfly(Complex<T>* x, const T* roots) {
  if constexpr (kRadix == 2) {
    Butterfly2(x);
  } else if constexpr (kRadix == 4) {
    Butterfly4(x);
  } else if constexpr (kRadix == 8) {
    Butterfly8(x);
  } else {
    OddButterfly<kRadix>(x, roots);
  }
}

// --- passes

// kRadix addresses `step` apart, each the sum of few registers.
template <int kRadix, class T>
struct Addresses {
  T* base[(kRadix + 3) / 4];
  int64_t step, step3;
  HWY_INLINE Addresses(T* p, int64_t s) : step(s), step3(3 * s) {
    UNROLLED for (int k = 0; k < (kRadix + 3) / 4; ++k) base[k] = Moved(p, 4 * s * k);
  }
  HWY_INLINE T* operator[](int j) const {
    T* p = base[j / 4];
    return j % 4 == 0   ? p
           : j % 4 == 1 ? Moved(p, step)
           : j % 4 == 2 ? Moved(p, 2 * step)
                        : Moved(p, step3);
  }
  HWY_INLINE void Move(int64_t bytes) {
    UNROLLED for (int k = 0; k < (kRadix + 3) / 4; ++k) base[k] = Moved(base[k], bytes);
  }
};

// `count` butterflies whose inputs, outputs, twiddles and factors are so many bytes further each.
struct PassSteps {
  int64_t in, out, twiddles, factors;
};
template <int kRadix, bool kTwiddles, class T, class From, class To>
HWY_INLINE void Butterflies(int64_t count, const T* roots, From from, To to, const T* in,
                            int64_t in_step, T* out, int64_t out_step, const T* twiddles,
                            const T* factors, int64_t factor_step, PassSteps steps) {
  Addresses<kRadix, const T> x(in, in_step);
  Addresses<kRadix, T> y(out, out_step);
  for (int64_t k = 0; k < count; ++k) {
    Complex<T> v[kRadix];
    UNROLLED for (int j = 0; j < kRadix; ++j) v[j] = from.Get(x[j]);
    Butterfly<kRadix>(v, roots);
    UNROLLED for (int j = 0; j < kRadix; ++j) {
      if (kTwiddles && j > 0) v[j] = v[j] * Pair(twiddles + 2 * (j - 1));
      to.Put(v[j], y[j], To::kTwiddles ? Moved(factors, j * factor_step) : nullptr);
    }
    x.Move(steps.in);
    y.Move(steps.out);
    if (kTwiddles) twiddles = Moved(twiddles, steps.twiddles);
    if (To::kTwiddles) factors = Moved(factors, steps.factors);
  }
}

template <int kRadix, class T, class From, class To>
HWY_NOINLINE void Pass(const FftPass<T>& pass, From from, To to) {
  const int64_t m = pass.m, s = pass.s;
  const int64_t in_step = s * m * from.stride, out_step = s * to.stride;
  const T* factors = Factors<T>(to);
  const int64_t factor_stride = FactorStride(to), factor_step = s * factor_stride;
  Butterflies<kRadix, false>(s, pass.roots, from, to, from.at, in_step, to.at, out_step,
                             pass.twiddles, factors, factor_step,
                             PassSteps{from.stride, to.stride, 0, factor_stride});
  if (To::kLast || m == 1) return;
  constexpr int64_t kTwiddleBytes = 2 * (kRadix - 1) * static_cast<int64_t>(sizeof(T));
  if (s == 1) {
    return Butterflies<kRadix, true>(m - 1, pass.roots, from, to, Moved(from.at, from.stride),
                                     in_step, Moved(to.at, kRadix * to.stride), out_step,
                                     Moved(pass.twiddles, kTwiddleBytes), factors, 0,
                                     PassSteps{from.stride, kRadix * to.stride, kTwiddleBytes, 0});
  }
  for (int64_t p = 1; p < m; ++p) {
    Butterflies<kRadix, true>(s, pass.roots, from, to, Moved(from.at, s * p * from.stride), in_step,
                              Moved(to.at, s * kRadix * p * to.stride), out_step,
                              Moved(pass.twiddles, p * kTwiddleBytes), factors, 0,
                              PassSteps{from.stride, to.stride, 0, 0});
  }
}

// Of any odd radix up to kMostRadix, in as many steps as its square.
constexpr int64_t kMostRadix = 64;
template <class T, class From, class To>
HWY_NOINLINE void AnyPass(const FftPass<T>& pass, From from, To to) {
  const int64_t radix = pass.radix, half = radix / 2, m = pass.m, s = pass.s;
  const T *cosines = pass.roots, *sines = pass.roots + radix;
  Complex<T> sum[kMostRadix / 2], difference[kMostRadix / 2];
  auto get = [&](int64_t i) HWY_ATTR { return from.Get(Moved(from.at, i * from.stride)); };
  auto put = [&](int64_t i, Complex<T> c) HWY_ATTR {
    to.Put(c, Moved(to.at, i * to.stride),
           To::kTwiddles ? Moved(Factors<T>(to), i * FactorStride(to)) : nullptr);
  };
  for (int64_t p = 0; p < m; ++p) {
    const T* twiddles = pass.twiddles + 2 * (radix - 1) * p - 2;
    for (int64_t q = 0; q < s; ++q) {
      const Complex<T> first = get(q + s * p);
      Complex<T> total = first;
      for (int64_t k = 0; k < half; ++k) {
        const Complex<T> a = get(q + s * (p + m * (k + 1)));
        const Complex<T> b = get(q + s * (p + m * (radix - 1 - k)));
        sum[k] = a + b;
        difference[k] = a - b;
        total = total + sum[k];
      }
      put(q + s * radix * p, total);
      for (int64_t j = 1; j <= half; ++j) {
        Complex<T> even = first, odd = {hn::Zero(Lanes<T>()), hn::Zero(Lanes<T>())};
        int64_t power = 0;
        for (int64_t k = 0; k < half; ++k) {
          power += j;
          if (power >= radix) power -= radix;
          const Vector<T> c = Splat(cosines[power]), w = Splat(sines[power]);
          even = {hn::MulAdd(sum[k].re, c, even.re), hn::MulAdd(sum[k].im, c, even.im)};
          odd = {hn::MulAdd(difference[k].re, w, odd.re), hn::MulAdd(difference[k].im, w, odd.im)};
        }
        Complex<T> low{hn::Add(even.re, odd.im), hn::Sub(even.im, odd.re)};
        Complex<T> high{hn::Sub(even.re, odd.im), hn::Add(even.im, odd.re)};
        if (p > 0) {
          low = low * Pair(twiddles + 2 * j);
          high = high * Pair(twiddles + 2 * (radix - j));
        }
        put(q + s * (radix * p + j), low);
        put(q + s * (radix * p + radix - j), high);
      }
    }
  }
}

template <class T, class From, class To>
HWY_INLINE void RunPass(const FftPass<T>& pass, From from, To to) {
  switch (pass.radix) {
    case 2:
      return Pass<2>(pass, from, to);
    case 3:
      return Pass<3>(pass, from, to);
    case 4:
      return Pass<4>(pass, from, to);
    case 5:
      return Pass<5>(pass, from, to);
    case 7:
      return Pass<7>(pass, from, to);
    case 8:
      return Pass<8>(pass, from, to);
    case 11:
      return Pass<11>(pass, from, to);
    case 13:
      return Pass<13>(pass, from, to);
    default:
      return AnyPass(pass, from, to);
  }
}

template <class T, class From, class To>
HWY_NOINLINE void CopyElements(int64_t n, From from, To to) {
  for (int64_t i = 0; i < n; ++i) {
    to.Put(from.Get(Moved(from.at, i * from.stride)), Moved(to.at, i * to.stride),
           To::kTwiddles ? Moved(Factors<T>(to), i * FactorStride(to)) : nullptr);
  }
}

// `scratch` has room for 2 n blocks. The first pass has read everything when the last one writes.
template <class T, class From, class To>
HWY_NOINLINE void RunPasses(const FftPasses<T>& line, From from, To to, T* scratch) {
  constexpr int64_t kBytes = BLOCK_BYTES;
  const size_t count = line.passes.size();
  T *here = scratch, *there = Moved(scratch, line.n * kBytes);
  if (count < 2) {
    if (count == 0) return CopyElements<T>(1, from, to);
    CopyElements<T>(line.n, from, ToBlocks<T>{here, kBytes});
  } else {
    RunPass(line.passes[0], from, ToBlocks<T>{here, kBytes});
    for (size_t k = 1; k + 1 < count; ++k) {
      RunPass(line.passes[k], FromBlocks<T>{here, kBytes}, ToBlocks<T>{there, kBytes});
      std::swap(here, there);
    }
  }
  RunPass(line.passes[count - 1], FromBlocks<T>{here, kBytes}, to);
}

template <class T>
HWY_INLINE void Prefetch(const FftAhead<T>& ahead, int64_t begin, int64_t end) {
  constexpr int64_t kCacheLine = 64;
  for (int64_t i = begin; i < end; ++i) {
    const T* piece = Moved(ahead.at, i * ahead.stride);
    __builtin_prefetch(piece);
    // Those of the longest vectors have two lines of a cache.
    if (ahead.piece > kCacheLine) __builtin_prefetch(Moved(piece, kCacheLine));
    if (ahead.im != nullptr) __builtin_prefetch(Moved(ahead.im, i * ahead.stride));
  }
}

// Elements so far from each other share a few sets of the caches, and a page has few of them: they
// are asked for shortly before they are read.
constexpr int64_t kFar = 1024;  // bytes
template <class T, class Place>
HWY_INLINE bool IsFar(Place place) {
  return std::is_same_v<Place, FromColumns<T>> && place.stride >= kFar;
}

// The elements of a line that are far apart, to blocks; the first ones of the next line are asked
// for.
template <class T>
HWY_NOINLINE void GatherFar(int64_t n, FromColumns<T> from, const FftAhead<T>& ahead, T* to) {
  constexpr int64_t kDistance = 16;
  const ToBlocks<T> blocks{to, BLOCK_BYTES};
  const FftAhead<T> own{from.at, n, from.stride, BLOCK_BYTES};
  int64_t i = 0;
  for (; i + kDistance < n; ++i) {
    Prefetch(own, i + kDistance, i + kDistance + 1);
    blocks.Put(from.Get(Moved(from.at, i * from.stride)), Moved(to, i * BLOCK_BYTES), nullptr);
  }
  for (; i < n; ++i)
    blocks.Put(from.Get(Moved(from.at, i * from.stride)), Moved(to, i * BLOCK_BYTES), nullptr);
  Prefetch(ahead, 0, std::min(ahead.count, kDistance));
}

// By passes, or as first.n x second.n: for every j2 a transform along j1, and for every k1 one
// along j2. `scratch` has room for that of a pitch of first.n | 1 and 2 max(first.n, second.n)
// blocks.
template <class T, class From, class To>
HWY_INLINE void Transform(const FftLine<T>& line, From from, To to, const FftAhead<T>& ahead,
                          T* scratch) {
  constexpr int64_t kBytes = BLOCK_BYTES, kPairBytes = 2 * sizeof(T);
  const int64_t n1 = line.first.n, n2 = line.second.n;
  const bool far = IsFar<T>(from);
  // The line beside, column by column; else what lies together.
  const bool beside = far && ahead.stride == from.stride;
  if (n2 == 1) {
    if constexpr (std::is_same_v<From, FromColumns<T>>) {
      if (far) {
        GatherFar(n1, from, beside ? ahead : FftAhead<T>(), scratch);
        if (!beside) Prefetch(ahead, 0, ahead.count);
        return RunPasses(line.first, FromBlocks<T>{scratch, kBytes}, to,
                         Moved(scratch, n1 * kBytes));
      }
    }
    Prefetch(ahead, 0, ahead.count);
    return RunPasses(line.first, from, to, scratch);
  }
  const int64_t pitch = (n1 | 1) * kBytes;
  T* passes = Moved(scratch, n2 * pitch);
  for (int64_t j2 = 0; j2 < n2; ++j2) {
    if (far) {
      const bool last = j2 + 1 == n2;
      const T* next = last ? ahead.at : Moved(from.at, (j2 + 1) * from.stride);
      Prefetch(FftAhead<T>{next, n1, n2 * from.stride, kBytes}, 0, last && !beside ? 0 : n1);
    }
    RunPasses(line.first, Part(from, j2, n2),
              ToBlocksTimes<T, true>{Moved(scratch, j2 * pitch), kBytes,
                                     line.twiddles + 2 * n1 * j2, kPairBytes},
              passes);
  }
  for (int64_t k1 = 0; k1 < n1; ++k1) {
    if (!beside) Prefetch(ahead, ahead.count * k1 / n1, ahead.count * (k1 + 1) / n1);
    RunPasses(line.second, FromBlocks<T>{Moved(scratch, k1 * kBytes), pitch}, Part(to, k1, n1),
              passes);
  }
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::fft
HWY_AFTER_NAMESPACE();

#endif  // SINTER_FFT_PASSES
