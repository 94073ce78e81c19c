// Lines in their forms: from memory to lanes, through passes, and back.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/fft_vectors.cc"
#include "runtime/cpu/fft_vectors.h"

#include <algorithm>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/fft_passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::fft {

// --- spectra of real lines, from those of half as many complex numbers and to them

// z are n blocks, with room for one more: the transform of even elements plus i times odd ones.
template <class T>
HWY_NOINLINE void SpectrumOfReals(const FftLine<T>& line, T* z) {
  constexpr int64_t kBlock = 2 * LANES;
  const int64_t n = line.n;
  const Vector<T> half = Splat(T{0.5}), zero = hn::Zero(Lanes<T>());
  const Complex<T> first = LoadBlock(z);
  StoreBlock<T>({hn::Add(first.re, first.im), zero}, z);
  StoreBlock<T>({hn::Sub(first.re, first.im), zero}, z + n * kBlock);
  for (int64_t k = 1; 2 * k <= n; ++k) {
    T *low = z + k * kBlock, *high = z + (n - k) * kBlock;
    const Complex<T> a = LoadBlock(low), b = Conjugate(LoadBlock(high));
    const Complex<T> sum = a + b, difference = a - b;
    const Complex<T> even{hn::Mul(sum.re, half), hn::Mul(sum.im, half)};
    Complex<T> odd{hn::Mul(difference.im, half), hn::Neg(hn::Mul(difference.re, half))};
    odd = odd * Pair(line.real + 2 * k);
    StoreBlock(Conjugate(even - odd), high);
    StoreBlock(even + odd, low);
  }
}

// The inverse, without its factor 1/2, conjugated: the forward transform of the result has the real
// numbers as its real and its negated imaginary parts.
template <class T>
HWY_NOINLINE void RealsOfSpectrum(const FftLine<T>& line, T* z) {
  constexpr int64_t kBlock = 2 * LANES;
  const int64_t n = line.n;
  const Vector<T> a0 = Load(z), an = Load(z + n * kBlock);
  StoreBlock<T>({hn::Add(a0, an), hn::Sub(an, a0)}, z);
  for (int64_t k = 1; 2 * k <= n; ++k) {
    T *low = z + k * kBlock, *high = z + (n - k) * kBlock;
    const Complex<T> a = LoadBlock(low), b = Conjugate(LoadBlock(high));
    const Complex<T> even = a + b;
    const Complex<T> w = Conjugate(Pair(line.real + 2 * k));
    const Complex<T> odd = (a - b) * w;
    // even + i odd at k, conj(even) + i conj(odd) at n - k.
    StoreBlock<T>({hn::Sub(even.re, odd.im), hn::Neg(hn::Add(even.im, odd.re))}, low);
    StoreBlock<T>({hn::Add(even.re, odd.im), hn::Sub(even.im, odd.re)}, high);
  }
}

// --- lines

template <class T>
HWY_NOINLINE void ByChirp(const FftLine<T>& line, FromBlocks<T> from, ToBlocks<T> to,
                          const FftAhead<T>& ahead, T* scratch) {
  constexpr int64_t kBlock = 2 * LANES;
  const FftLine<T>& inner = *line.convolved;
  T* u = scratch;
  scratch += inner.n * kBlock;
  for (int64_t i = 0; i < line.n; ++i)
    StoreBlock(LoadBlock(Moved(from.at, i * from.stride)) * Pair(line.chirp + 2 * i),
               u + i * kBlock);
  std::fill(u + line.n * kBlock, u + inner.n * kBlock, T{0});
  Transform(inner, FromBlocks<T>{u, BLOCK_BYTES}, ToBlocks<T>{u, BLOCK_BYTES}, FftAhead<T>(),
            scratch);
  // Conjugated, for the inverse transform.
  for (int64_t i = 0; i < inner.n; ++i)
    StoreBlock(Conjugate(LoadBlock(u + i * kBlock) * Pair(line.filter + 2 * i)), u + i * kBlock);
  Transform(inner, FromBlocks<T>{u, BLOCK_BYTES}, ToBlocks<T>{u, BLOCK_BYTES}, ahead, scratch);
  for (int64_t i = 0; i < line.n; ++i)
    StoreBlock(Conjugate(LoadBlock(u + i * kBlock)) * Pair(line.chirp + 2 * i),
               Moved(to.at, i * to.stride));
}

// Element order[-q] of the transform is the first element and the sum over p of element order[p]
// times the root of order n to the power order[p - q], numbers modulo n - 1.
template <class T>
HWY_NOINLINE void ByPowers(const FftLine<T>& line, FromBlocks<T> from, ToBlocks<T> to,
                           const FftAhead<T>& ahead, T* scratch) {
  constexpr int64_t kBlock = 2 * LANES;
  const FftLine<T>& inner = *line.convolved;
  T* u = scratch;
  scratch += inner.n * kBlock;
  const Complex<T> first = LoadBlock(from.at);
  for (int64_t p = 0; p < inner.n; ++p)
    StoreBlock(LoadBlock(Moved(from.at, line.order[p] * from.stride)), u + p * kBlock);
  Transform(inner, FromBlocks<T>{u, BLOCK_BYTES}, ToBlocks<T>{u, BLOCK_BYTES}, FftAhead<T>(),
            scratch);
  const Complex<T> sum = LoadBlock(u);
  // Conjugated, for the inverse transform. What is added to the first element is added to all.
  StoreBlock(Conjugate(sum * Pair(line.filter) + first), u);
  for (int64_t i = 1; i < inner.n; ++i)
    StoreBlock(Conjugate(LoadBlock(u + i * kBlock) * Pair(line.filter + 2 * i)), u + i * kBlock);
  Transform(inner, FromBlocks<T>{u, BLOCK_BYTES}, ToBlocks<T>{u, BLOCK_BYTES}, ahead, scratch);
  StoreBlock(first + sum, to.at);
  for (int64_t q = 0; q < inner.n; ++q)
    StoreBlock(Conjugate(LoadBlock(u + q * kBlock)),
               Moved(to.at, line.order[q == 0 ? 0 : inner.n - q] * to.stride));
}

template <class T>
void TransformBlocks(const FftLine<T>& line, FromBlocks<T> from, ToBlocks<T> to,
                     const FftAhead<T>& ahead, T* scratch);

// As Transform() does it, but for the transforms along j1.
template <class T>
HWY_NOINLINE void ByFactor(const FftLine<T>& line, FromBlocks<T> from, ToBlocks<T> to,
                           const FftAhead<T>& ahead, T* scratch) {
  constexpr int64_t kBlock = 2 * LANES;
  const int64_t n1 = line.factor->n, n2 = line.second.n, pitch = (n1 | 1) * kBlock;
  T* const work = scratch + n2 * pitch;
  for (int64_t j2 = 0; j2 < n2; ++j2) {
    T* const row = scratch + j2 * pitch;
    Prefetch(ahead, ahead.count * j2 / n2, ahead.count * (j2 + 1) / n2);
    TransformBlocks(*line.factor, Part(from, j2, n2), ToBlocks<T>{row, BLOCK_BYTES}, FftAhead<T>(),
                    work);
    const T* twiddles = line.twiddles + 2 * n1 * j2;
    for (int64_t k1 = 1; j2 > 0 && k1 < n1; ++k1)
      StoreBlock(LoadBlock(row + k1 * kBlock) * Pair(twiddles + 2 * k1), row + k1 * kBlock);
  }
  for (int64_t k1 = 0; k1 < n1; ++k1) {
    RunPasses(line.second,
              FromBlocks<T>{scratch + k1 * kBlock, pitch * static_cast<int64_t>(sizeof(T))},
              Part(to, k1, n1), work);
  }
}

template <class T>
HWY_NOINLINE void TransformBlocks(const FftLine<T>& line, FromBlocks<T> from, ToBlocks<T> to,
                                  const FftAhead<T>& ahead, T* scratch) {
  if (line.factor) return ByFactor(line, from, to, ahead, scratch);
  if (line.order != nullptr) return ByPowers(line, from, to, ahead, scratch);
  if (line.convolved) return ByChirp(line, from, to, ahead, scratch);
  Transform(line, from, to, ahead, scratch);
}

// At most two vectors of numbers; no others are read or written.
template <class T>
HWY_INLINE void MoveSome(const T* from, int64_t count, T* to) {
#if HWY_TARGET == HWY_AVX3
  const Lanes<T> d;
  constexpr int64_t kLanes = LANES;
  for (int64_t i = 0; i < 2 * kLanes; i += kLanes) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(count - i, 0, kLanes)));
    hn::BlendedStore(hn::MaskedLoad(mask, d, from + i), mask, d, to + i);
  }
#else
  std::copy_n(from, count, to);
#endif
}

// The same of numbers whose parts are arrays of their own.
template <class T>
HWY_NOINLINE void GatherParts(const FftLinesCall<T>& call, Vector<T> sign, T* own) {
  constexpr int64_t kLanes = LANES, kBlock = 2 * kLanes;
  const FftLine<T>& line = *call.line;
  const Vector<T> none = hn::Zero(Lanes<T>());
  const T* const parts[] = {call.in, call.in_im};
  const bool pairs = call.real == FftReal::kPairs, alone = call.real == FftReal::kAlone;
  const int64_t n = line.n, count = pairs ? n + 1 : alone ? n / 2 + 1 : n;
  if (call.in_form == FftForm::kRows) {
    for (int64_t p = 0; p < 2; ++p)
      RowsToLanes(parts[p], call.in_stride, call.lines, count, none, own + p * kLanes, kBlock);
  } else if (call.in_form == FftForm::kColumns && call.lines == kLanes) {
    // As in GatherFar. What lies beside is not asked for: a line of a cache on each of twice as
    // many pages, it would be gone before it is read.
    constexpr int64_t kDistance = 16;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t p = 0; p < 2; ++p) {
        const T* from = parts[p] + i * call.in_stride;
        if (i + kDistance < n) __builtin_prefetch(from + kDistance * call.in_stride);
        Store(Load(from), own + i * kBlock + p * kLanes);
      }
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t p = 0; p < 2; ++p) {
        T* const block = own + i * kBlock + p * kLanes;
        Store(none, block);
        for (int64_t l = 0; l < call.lines; ++l) {
          const int64_t at = call.in_form == FftForm::kApart ? call.apart[l] / 2 : l;
          block[l] = parts[p][at + i * call.in_stride];
        }
      }
    }
  }
  if (pairs) return RealsOfSpectrum(line, own);
  if (alone) Store(none, own + kLanes);
  if (call.inverse) {
    for (int64_t i = 0; i < count; ++i) {
      T* const im = own + i * kBlock + kLanes;
      Store(hn::Xor(Load(im), sign), im);
    }
  }
  if (!alone) return;
  for (int64_t i = 1; 2 * i <= n; ++i)
    StoreBlock(Conjugate(LoadBlock(own + i * kBlock)), own + (n - i) * kBlock);
}

// The lines' elements as blocks at `own`, conjugated if `sign` is the sign bit.
template <class T>
HWY_NOINLINE void Gather(const FftLinesCall<T>& call, Vector<T> sign, T* own) {
  if (call.in_im != nullptr) return GatherParts(call, sign, own);
  constexpr int64_t kLanes = LANES, kBlock = 2 * kLanes, kBytes = sizeof(T);
  const Lanes<T> d;
  const FftLine<T>& line = *call.line;
  const int64_t n = line.n;
  const Vector<T> none = hn::Zero(d);
  if (call.in_form == FftForm::kColumns && call.lines < kLanes) {
    HWY_ALIGN T some[2 * kLanes] = {};
    for (int64_t i = 0; i < n; ++i) {
      MoveSome(call.in + i * call.in_stride, 2 * call.lines, some);
      StoreBlock(FromColumns<T>{some, 0, sign}.Get(some), own + i * kBlock);
    }
  } else if (call.in_form == FftForm::kColumns) {
    CopyElements<T>(n, FromColumns<T>{call.in, call.in_stride * kBytes, sign},
                    ToBlocks<T>{own, BLOCK_BYTES});
  } else if (call.in_form == FftForm::kApart) {
    for (int64_t i = 0; i < n; ++i) {
      T* block = own + i * kBlock;
      Store(none, block);
      Store(none, block + kLanes);
      for (int64_t l = 0; l < call.lines; ++l) {
        block[l] = call.in[call.apart[l] + i * call.in_stride];
        block[kLanes + l] = call.in[call.apart[l] + i * call.in_stride + 1];
      }
      Store(hn::Xor(Load(block + kLanes), sign), block + kLanes);
    }
  } else if (call.real == FftReal::kNone) {
    RowsToLanes(call.in, call.in_stride, call.lines, 2 * n, sign, own, kLanes);
  } else if (call.real == FftReal::kPairs && !call.inverse) {
    RowsToLanes(call.in, call.in_stride, call.lines, 2 * n, none, own, kLanes);
  } else if (call.real == FftReal::kPairs) {
    RowsToLanes(call.in, call.in_stride, call.lines, 2 * n + 2, none, own, kLanes);
    RealsOfSpectrum(line, own);
  } else if (!call.inverse) {
    RowsToLanes(call.in, call.in_stride, call.lines, n, none, own, kBlock);
    for (int64_t i = 0; i < n; ++i) Store(none, own + i * kBlock + kLanes);
  } else {
    RowsToLanes(call.in, call.in_stride, call.lines, 2 * (n / 2 + 1), sign, own, kLanes);
    Store(none, own + kLanes);
    for (int64_t i = 1; 2 * i <= n; ++i)
      StoreBlock(Conjugate(LoadBlock(own + i * kBlock)), own + (n - i) * kBlock);
  }
}

// Whole lines of a cache, past the caches.
template <class T>
HWY_NOINLINE void Stream(const T* from, int64_t count, T* to) {
  constexpr int64_t kLanes = LANES;
  const Lanes<T> d;
  for (int64_t i = 0; i < count; i += kLanes) hn::Stream(Load(from + i), d, to + i);
}
inline constexpr uintptr_t kCacheLine = 64;
template <class T>
HWY_INLINE bool IsAligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % kCacheLine == 0;
}

// `scratch` has room for n + 1 blocks.
template <class T>
HWY_NOINLINE void Scatter(const FftLinesCall<T>& call, Vector<T> scale, Vector<T> scale_im, T* own,
                          T* scratch) {
  constexpr int64_t kLanes = LANES, kBlock = 2 * kLanes, kBytes = sizeof(T);
  const FftLine<T>& line = *call.line;
  const int64_t n = line.n;
  const FromBlocks<T> from{own, BLOCK_BYTES};
  if (call.out_form == FftForm::kBlocks) {
    if (call.twiddles == nullptr)
      return CopyElements<T>(n, from, ToBlocks<T>{call.out, call.out_stride * kBytes});
    return CopyElements<T>(
        n, from,
        ToBlocksTimes<T, false>{call.out, call.out_stride * kBytes, call.twiddles, BLOCK_BYTES});
  }
  if (call.out_form == FftForm::kColumns && call.lines < kLanes) {
    HWY_ALIGN T some[2 * kLanes];
    const ToColumns<T> to{some, 0, scale, scale_im, false};
    for (int64_t i = 0; i < n; ++i) {
      to.Put(LoadBlock(own + i * kBlock), some, nullptr);
      MoveSome(some, 2 * call.lines, call.out + i * call.out_stride);
    }
    return;
  }
  if (call.out_form == FftForm::kColumns)
    return CopyElements<T>(
        n, from, ToColumns<T>{call.out, call.out_stride * kBytes, scale, scale_im, false});
  if (call.out_form == FftForm::kApart) {
    for (int64_t i = 0; i < n; ++i) {
      T* block = own + i * kBlock;
      StoreBlock<T>({hn::Mul(Load(block), scale), hn::Mul(Load(block + kLanes), scale_im)}, block);
      for (int64_t l = 0; l < call.lines; ++l) {
        call.out[call.apart[l] + i * call.out_stride] = block[l];
        call.out[call.apart[l] + i * call.out_stride + 1] = block[kLanes + l];
      }
    }
    return;
  }
  int64_t count = 2 * n, pitch = kLanes;
  if (call.real == FftReal::kPairs && !call.inverse) {
    SpectrumOfReals(line, own);
    count += 2;
  } else if (call.real == FftReal::kAlone && !call.inverse) {
    count = 2 * (n / 2 + 1);
  } else if (call.real == FftReal::kAlone) {
    count = n, pitch = kBlock, scale_im = scale;
  }
  // Rows that follow one another are whole lines of a cache together, if not each by itself.
  const int64_t all = call.lines * count;
  if (call.stream && call.out_stride == count && IsAligned(call.out) &&
      static_cast<uintptr_t>(all) * sizeof(T) % kCacheLine == 0) {
    LanesToRows(own, pitch, count, scale, scale_im, call.lines, scratch, count);
    return Stream(scratch, all, call.out);
  }
  LanesToRows(own, pitch, count, scale, scale_im, call.lines, call.out, call.out_stride);
}

template <class T>
HWY_NOINLINE void LinesOfVector(const FftLinesCall<T>& call) {
  constexpr int64_t kBlock = 2 * LANES, kBytes = sizeof(T);
  const Lanes<T> d;
  const FftLine<T>& line = *call.line;
  // The inverse is the conjugate of the transform of conjugates.
  const Vector<T> sign = call.inverse ? hn::SignBit(d) : hn::Zero(d);
  const Vector<T> scale = Splat(call.scale), scale_im = hn::Xor(scale, sign);
  T *own = call.scratch, *scratch = call.scratch + (line.n + 1) * kBlock;
  const bool stream = call.stream && call.out_form == FftForm::kColumns &&
                      BLOCK_BYTES % kCacheLine == 0 && IsAligned(call.out) &&
                      static_cast<uintptr_t>(call.out_stride * kBytes) % kCacheLine == 0;
  const ToColumns<T> to_columns{call.out, call.out_stride * kBytes, scale, scale_im, stream};

  // Columns are read and written by passes, if there are as many as lanes.
  const bool passes = line.IsOfPasses() && call.lines == LANES;
  const bool direct_out = call.out_form == FftForm::kColumns && passes;
  if (call.in_form == FftForm::kColumns && passes && call.in_im == nullptr) {
    const FromColumns<T> from{call.in, call.in_stride * kBytes, sign};
    if (direct_out) {
      Transform(line, from, to_columns, call.ahead, scratch);
      return;
    }
    if (call.out_form == FftForm::kBlocks && call.twiddles != nullptr)
      return Transform(
          line, from,
          ToBlocksTimes<T, false>{call.out, call.out_stride * kBytes, call.twiddles, BLOCK_BYTES},
          call.ahead, scratch);
  }
  FromBlocks<T> from{own, BLOCK_BYTES};
  if (call.in_form == FftForm::kBlocks) {
    from = {call.in, call.in_stride * kBytes};
  } else {
    Gather(call, sign, own);
    if (call.out_form == FftForm::kBlocks && call.twiddles != nullptr && line.IsOfPasses())
      return Transform(
          line, from,
          ToBlocksTimes<T, false>{call.out, call.out_stride * kBytes, call.twiddles, BLOCK_BYTES},
          call.ahead, scratch);
  }
  if (direct_out) {
    Transform(line, from, to_columns, call.ahead, scratch);
    return;
  }
  TransformBlocks(line, from, ToBlocks<T>{own, BLOCK_BYTES}, call.ahead, scratch);
  Scatter(call, scale, scale_im, own, scratch);
}

template <class T>
void Lines(const FftLinesCall<T>& call) {
  constexpr int64_t kLanes = LANES;
  if (call.lines <= kLanes) return LinesOfVector(call);
  FftLinesCall<T> some = call;
  for (int64_t left = call.lines; left > 0; left -= kLanes) {
    some.lines = std::min(left, kLanes);
    if (left < 2 * kLanes) some.ahead = {};
    LinesOfVector(some);
    some.in += kLanes * call.in_stride;
    if (some.in_im != nullptr) some.in_im += kLanes * call.in_stride;
    some.out += kLanes * call.out_stride;
    if (some.ahead.at != nullptr) some.ahead.at += kLanes * call.in_stride;
    if (some.ahead.im != nullptr) some.ahead.im += kLanes * call.in_stride;
  }
}

// --- one line

template <class T>
void Turn(const T* blocks, int64_t n1, int64_t n2, int64_t k1, T* turned) {
  constexpr int64_t kLanes = LANES, kBlock = 2 * kLanes;
  for (int64_t b = 0; b * kLanes < n2; ++b) {
    for (int64_t part = 0; part < 2; ++part) {
      const T* from = blocks + b * n1 * kBlock + part * kLanes;
      T* to = turned + b * kLanes * kBlock + part * kLanes;
      Vector<T> v[kLanes];
      LoadTransposed<T>(
          [&](int64_t l) HWY_ATTR { return from + std::min(k1 + l, n1 - 1) * kBlock; }, v);
      UNROLLED for (int64_t l = 0; l < kLanes; ++l) Store(v[l], to + l * kBlock);
    }
  }
}

template <class T>
void Twiddles(const T* base, const T* lane, int64_t n, T* twiddles) {
  constexpr int64_t kBlock = 2 * LANES;
  for (int64_t k = 0; k < n; ++k)
    StoreBlock(LoadBlock(lane + k * kBlock) * Pair(base + 2 * k), twiddles + k * kBlock);
}

template <class T>
HWY_INLINE Complex<T> LoadNumbers(const T* p) {
  return FromColumns<T>{p, 0, hn::Zero(Lanes<T>())}.Get(p);
}
template <class T>
HWY_INLINE void StoreNumbers(Complex<T> c, T* p) {
  const Vector<T> one = Splat(T{1});
  ToColumns<T>{p, 0, one, one, false}.Put(c, p, nullptr);
}
template <class T>
HWY_INLINE Complex<T> Reversed(Complex<T> c) {
  const Lanes<T> d;
  return {hn::Reverse(d, c.re), hn::Reverse(d, c.im)};
}

template <class T>
void RowSpectrumOfReals(int64_t n, const T* real, int64_t begin, int64_t end, T* row) {
  constexpr int64_t kLanes = LANES;
  int64_t k = begin;
  if (k == 0) {
    const T re = row[0], im = row[1];
    row[0] = re + im;
    row[1] = 0;
    row[2 * n] = re - im;
    row[2 * n + 1] = 0;
    ++k;
  }
  const Vector<T> half = Splat(T{0.5});
  for (; k + kLanes <= end && 2 * (k + kLanes) <= n; k += kLanes) {
    T *low = row + 2 * k, *high = row + 2 * (n - k - kLanes + 1);
    const Complex<T> a = LoadNumbers(low), b = Conjugate(Reversed(LoadNumbers(high)));
    const Complex<T> sum = a + b, difference = a - b;
    const Complex<T> even{hn::Mul(sum.re, half), hn::Mul(sum.im, half)};
    Complex<T> odd{hn::Mul(difference.im, half), hn::Neg(hn::Mul(difference.re, half))};
    odd = odd * LoadNumbers(real + 2 * k);
    StoreNumbers(Reversed(Conjugate(even - odd)), high);
    StoreNumbers(even + odd, low);
  }
  for (; k < end; ++k) {
    T *low = row + 2 * k, *high = row + 2 * (n - k);
    const T w_re = real[2 * k], w_im = real[2 * k + 1];
    const T even_re = (low[0] + high[0]) * T{0.5}, even_im = (low[1] - high[1]) * T{0.5};
    const T odd_re = (low[1] + high[1]) * T{0.5}, odd_im = -(low[0] - high[0]) * T{0.5};
    const T re = odd_re * w_re - odd_im * w_im, im = odd_re * w_im + odd_im * w_re;
    high[0] = even_re - re, high[1] = -(even_im - im);
    low[0] = even_re + re, low[1] = even_im + im;
  }
}

template <class T>
void RowRealsOfSpectrum(int64_t n, const T* real, int64_t begin, int64_t end, const T* spectrum,
                        T* row) {
  constexpr int64_t kLanes = LANES;
  int64_t k = begin;
  if (k == 0) {
    const T first = spectrum[0], last = spectrum[2 * n];
    row[0] = first + last;
    row[1] = first - last;
    ++k;
  }
  for (; k + kLanes <= end && 2 * (k + kLanes) <= n; k += kLanes) {
    const int64_t mirror = 2 * (n - k - kLanes + 1);
    const Complex<T> a = LoadNumbers(spectrum + 2 * k);
    const Complex<T> b = Conjugate(Reversed(LoadNumbers(spectrum + mirror)));
    const Complex<T> even = a + b, odd = (a - b) * Conjugate(LoadNumbers(real + 2 * k));
    StoreNumbers<T>({hn::Sub(even.re, odd.im), hn::Add(even.im, odd.re)}, row + 2 * k);
    StoreNumbers(Reversed<T>({hn::Add(even.re, odd.im), hn::Sub(odd.re, even.im)}), row + mirror);
  }
  for (; k < end; ++k) {
    const T *low = spectrum + 2 * k, *high = spectrum + 2 * (n - k);
    const T w_re = real[2 * k], w_im = -real[2 * k + 1];
    const T even_re = low[0] + high[0], even_im = low[1] - high[1];
    const T re = low[0] - high[0], im = low[1] + high[1];
    const T odd_re = re * w_re - im * w_im, odd_im = re * w_im + im * w_re;
    row[2 * k] = even_re - odd_im, row[2 * k + 1] = even_im + odd_re;
    row[2 * (n - k)] = even_re + odd_im, row[2 * (n - k) + 1] = odd_re - even_im;
  }
}

template <class T>
void Multiply(const T* from, const T* factors, int64_t n, bool conjugate_from,
              bool conjugate_result, T scale, T* to) {
  constexpr int64_t kLanes = LANES;
  const T from_sign = conjugate_from ? T{-1} : T{1}, result_sign = conjugate_result ? T{-1} : T{1};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Complex<T> x = LoadNumbers(from + 2 * i);
    x.im = hn::Mul(x.im, Splat(from_sign));
    ToColumns<T>{to, 0, Splat(scale), Splat(scale * result_sign), false}.Put(
        x * LoadNumbers(factors + 2 * i), to + 2 * i, nullptr);
  }
  for (; i < n; ++i) {
    const T re = from[2 * i], im = from_sign * from[2 * i + 1];
    const T w_re = factors[2 * i], w_im = factors[2 * i + 1];
    to[2 * i] = (re * w_re - im * w_im) * scale;
    to[2 * i + 1] = (re * w_im + im * w_re) * scale * result_sign;
  }
}

template <class T>
HWY_INLINE FftKernels<T> Kernels() {
  return {HWY_LANES(T),          Lines<T>,   Turn<T>, Twiddles<T>, RowSpectrumOfReals<T>,
          RowRealsOfSpectrum<T>, Multiply<T>};
}
static FftKernels<float> KernelsOfFloat() { return Kernels<float>(); }
static FftKernels<double> KernelsOfDouble() { return Kernels<double>(); }

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::fft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

template <>
FftKernels<float> FftKernelsFor<float>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, fft::KernelsOfFloat)();
}
template <>
FftKernels<double> FftKernelsFor<double>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, fft::KernelsOfDouble)();
}

}  // namespace sinter::runtime::cpu
#endif
