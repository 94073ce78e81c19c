// Quicksort by vectors: partitions by compression, and sorting networks for what fits in registers.
// Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512 on Intel Skylake", 2017;
// Blacher et al., "Vectorized and performance-portable Quicksort", 2022.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/sort_vectors.cc"
#include "runtime/cpu/sort_vectors.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/sort_keys-inl.h"
#include "runtime/cpu/sort_small-inl.h"

namespace sinter::runtime::cpu {

// In n log n steps, for keys of which samples give bad pivots. Not compiled for an instruction set.
void SortSlowly(uint32_t* keys, size_t n);
void SortSlowly(uint64_t* keys, size_t n);
void SortSlowly(int64_t* keys, size_t n);

}  // namespace sinter::runtime::cpu

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes of the mask from the first on, and the others likewise; what follows them is
// unspecified.
#if HWY_TARGET == HWY_AVX3
template <class V, class M>
HWY_INLINE void Split(V v, M is_first, V* first, V* others) {
  if constexpr (sizeof(hn::TFromV<V>) == 4) {
    first->raw = _mm512_maskz_compress_epi32(is_first.raw, v.raw);
    others->raw = _mm512_maskz_compress_epi32(static_cast<__mmask16>(~is_first.raw), v.raw);
  } else {
    first->raw = _mm512_maskz_compress_epi64(is_first.raw, v.raw);
    others->raw = _mm512_maskz_compress_epi64(static_cast<__mmask8>(~is_first.raw), v.raw);
  }
}
#elif HWY_TARGET == HWY_AVX2
// Highway's own tables for this are copied to the stack by GCC, each time.
template <size_t kLanes>
struct Orders {
  // Words of a vector: of the lanes in the mask, then of the others.
  alignas(32) int32_t of[1 << kLanes][8] = {};
  constexpr Orders() {
    constexpr int kWords = 8 / kLanes;
    for (int mask = 0; mask < 1 << kLanes; ++mask) {
      int at = 0;
      for (int bit = 1; bit >= 0; --bit) {
        for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
          if ((mask >> lane & 1) != bit) continue;
          for (int word = 0; word < kWords; ++word) of[mask][at++] = lane * kWords + word;
        }
      }
    }
  }
};
// The lanes of the mask, then the others.
template <class V, class M>
HWY_INLINE V Parted(V v, M is_first) {
  constexpr size_t kLanes = 32 / sizeof(hn::TFromV<V>);
  static constexpr Orders<kLanes> kOrders;
  unsigned mask;
  if constexpr (kLanes == 8) {
    mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_first.raw)));
  } else {
    mask = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_first.raw)));
  }
  const __m256i* order = reinterpret_cast<const __m256i*>(kOrders.of[mask]);
  return V{_mm256_permutevar8x32_epi32(v.raw, _mm256_load_si256(order))};
}
#else
template <class V, class M>
HWY_INLINE V Parted(V v, M is_first) {
  static_assert(hn::CompressIsPartition<hn::TFromV<V>>::value);
  return hn::Compress(v, is_first);
}
#endif
#if HWY_TARGET != HWY_AVX3
template <class V, class M>
HWY_INLINE void Split(V v, M is_first, V* first, V* others) {
  *first = Parted(v, is_first);
  *others = Parted(v, hn::Not(is_first));
}
#endif

// VectorSort::count.
template <class T>
size_t Count(const T* keys, size_t n, T pivot) {
  const hn::ScalableTag<T> d;
  const auto limit = hn::Set(d, pivot);
  size_t count = 0, i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    count += hn::CountTrue(d, hn::Lt(hn::LoadU(d, keys + i), limit));
  for (; i < n; ++i) count += keys[i] < pivot ? 1 : 0;
  return count;
}

// VectorSort::partition.
template <class T>
HWY_NOINLINE size_t Partition(const T* from, size_t n, T pivot, T* low, T* high) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(d, pivot);
  size_t below = 0, i = 0;
  // Stores write whole vectors. There is room for them: a vector of keys has just been read.
  constexpr size_t kUnroll = 4;
  for (; i + kUnroll * lanes <= n; i += kUnroll * lanes) {
    hn::Vec<decltype(d)> v[kUnroll];
    UNROLLED for (size_t k = 0; k < kUnroll; ++k) v[k] = hn::LoadU(d, from + i + k * lanes);
    UNROLLED for (size_t k = 0; k < kUnroll; ++k) {
      const auto is_below = hn::Lt(v[k], limit);
      const size_t count = hn::CountTrue(d, is_below);
      hn::Vec<decltype(d)> first, others;
      Split(v[k], is_below, &first, &others);
      hn::StoreU(first, d, low + below);
      hn::StoreU(others, d, high + (i + k * lanes - below));
      below += count;
    }
  }
  for (; i < n; ++i) {
    const T key = from[i];
    if (key < pivot) {
      low[below++] = key;
    } else {
      high[i - below] = key;
    }
  }
  return below;
}

// Where the keys below a pivot go on, and where the others end, in memory that is free in between.
template <class T>
struct Gap {
  T *low, *high;

  // In a gap of two vectors at least.
  template <class V, class M>
  HWY_INLINE void Put(V v, M is_below) {
    const hn::ScalableTag<T> d;
    const size_t lanes = hn::Lanes(d), count = hn::CountTrue(d, is_below);
#if HWY_TARGET == HWY_AVX3
    V first, others;
    Split(v, is_below, &first, &others);
    hn::StoreU(first, d, low);
    hn::BlendedStore(others, hn::FirstN(d, lanes - count), d, high - (lanes - count));
#else
    const V parted = Parted(v, is_below);
    hn::StoreU(parted, d, low);
    hn::StoreU(parted, d, high - lanes);
#endif
    low += count;
    high -= lanes - count;
  }
  HWY_INLINE void Put(T key, T pivot) {
    *low = key;
    high[-1] = key;
    const ptrdiff_t below = key < pivot ? 1 : 0;
    low += below;
    high -= 1 - below;
  }
};

// VectorSort::part. Vectors are read from the side that has less room, so that both have enough for
// them; what stands at the ends is held meanwhile.
template <class T>
HWY_NOINLINE size_t Part(T* keys, size_t n, T pivot) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = HWY_LANES(T), kBlock = 4 * kLanes;
  const auto limit = hn::Set(d, pivot);
  Gap<T> gap{keys, keys + n};
  HWY_ALIGN T held[3 * kBlock];
  size_t count = n;
  if (n < 2 * kBlock) {
    std::copy_n(keys, n, held);
  } else {
    T *left = keys + kBlock, *right = keys + n - kBlock - n % kBlock;
    count = 2 * kBlock + n % kBlock;
    std::memcpy(held, keys, kBlock * sizeof(T));
    std::memcpy(held + kBlock, right, (count - kBlock) * sizeof(T));
    while (left < right) {
      const bool from_right = gap.high - right < left - gap.low;
      const T* from = left;
      if (from_right) from = right -= kBlock;
      if (!from_right) left += kBlock;
      hn::Vec<decltype(d)> v[4];
      UNROLLED for (size_t k = 0; k < 4; ++k) v[k] = hn::LoadU(d, from + k * kLanes);
      UNROLLED for (size_t k = 0; k < 4; ++k) gap.Put(v[k], hn::Lt(v[k], limit));
    }
  }
  size_t i = 0;
  for (; i + 2 * kLanes <= count; i += kLanes) {
    const auto v = hn::Load(d, held + i);
    gap.Put(v, hn::Lt(v, limit));
  }
  for (; i < count; ++i) gap.Put(held[i], pivot);
  return static_cast<size_t>(gap.low - keys);
}

template <class T>
HWY_INLINE void Fill(T* keys, size_t n, T key) {
  for (size_t i = 0; i < n; ++i) keys[i] = key;
}

// The median of so many keys at even distances.
template <size_t kSamples, class T>
HWY_INLINE T Median(const T* keys, size_t n) {
  T samples[kSamples];
  const size_t step = n / kSamples;
  for (size_t k = 0; k < kSamples; ++k) samples[k] = keys[k * step + step / 2];
  SmallSort<T>::Run(samples, kSamples, samples);
  return samples[kSamples / 2];
}
// Keys of which fewer samples are taken: to sort them takes as long as to part a few hundred keys.
constexpr size_t kFewKeys = 4096;

template <class T>
void Quicksort(T* keys, size_t n, int depth) {
  while (n > SmallSort<T>::kMost) {
    if (depth-- == 0) return SortSlowly(keys, n);
    const T pivot = n < kFewKeys ? Median<16>(keys, n) : Median<64>(keys, n);
    size_t low = Part(keys, n, pivot);
    if (low == 0) {
      // The pivot is the least: its equals are at their place.
      low = pivot == std::numeric_limits<T>::max() ? n : Part(keys, n, static_cast<T>(pivot + 1));
      Fill(keys, low, pivot);
    } else {
      Quicksort(keys, low, depth);
    }
    keys += low;
    n -= low;
  }
  SmallSort<T>::Run(keys, n, keys);
}

template <class T>
HWY_INLINE void FlipSigns(T* keys, size_t n) {
  const hn::ScalableTag<T> d;
  const auto sign = hn::Set(d, std::numeric_limits<T>::min());
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(hn::Xor(hn::LoadU(d, keys + i), sign), d, keys + i);
  for (; i < n; ++i) keys[i] ^= std::numeric_limits<T>::min();
}

template <class T>
void Sort(T* keys, size_t n) {
  int depth = 8;
  for (size_t m = n; m > 1; m /= 2) depth += 2;
  if constexpr (kComparesOnly<T>) {
    using S = hwy::MakeSigned<T>;
    S* const own = reinterpret_cast<S*>(keys);
    FlipSigns(own, n);
    Quicksort(own, n, depth);
    FlipSigns(own, n);
  } else {
    Quicksort(keys, n, depth);
  }
}

template <class T, bool kMerges>
HWY_INLINE void MapAs(const T* from, size_t n, const KeySteps<T>& steps, T* to) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const KeysOf<T, kMerges> map(steps);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(map(from + i), d, to + i);
  if (i < n) {
    HWY_ALIGN T some[HWY_LANES(T)] = {};
    std::memcpy(some, from + i, (n - i) * sizeof(T));
    hn::Store(map(hn::Load(d, some)), d, some);
    std::memcpy(to + i, some, (n - i) * sizeof(T));
  }
}
template <class T>
void MapKeys(const T* from, size_t n, const KeySteps<T>& steps, T* to) {
  steps.merges ? MapAs<T, true>(from, n, steps, to) : MapAs<T, false>(from, n, steps, to);
}
// The same backwards: the sign of what is left after `sign` and `flip` are undone is the element's.
template <class T>
void UnmapKeys(T* keys, size_t n, const KeySteps<T>& steps) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const hn::RebindToSigned<decltype(d)> ds;
  const size_t lanes = hn::Lanes(d);
  constexpr T kRest = static_cast<T>(~KeySteps<T>::kTop);
  const V flipped = hn::Set(d, steps.is_float ? kRest : T{0}),
          all = hn::Set(d, static_cast<T>(steps.sign ^ steps.flip));
  auto unmap = [&](V v) HWY_ATTR {
    v = hn::Xor(v, all);
    const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(ds, v)));
    return hn::Xor(v, hn::And(negative, flipped));
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(unmap(hn::LoadU(d, keys + i)), d, keys + i);
  if (i < n) {
    HWY_ALIGN T some[HWY_LANES(T)] = {};
    std::memcpy(some, keys + i, (n - i) * sizeof(T));
    hn::Store(unmap(hn::Load(d, some)), d, some);
    std::memcpy(keys + i, some, (n - i) * sizeof(T));
  }
}
static void Map32(const uint32_t* from, size_t n, const KeySteps<uint32_t>& steps, uint32_t* to) {
  MapKeys(from, n, steps, to);
}
static void Map64(const uint64_t* from, size_t n, const KeySteps<uint64_t>& steps, uint64_t* to) {
  MapKeys(from, n, steps, to);
}
static void Unmap32(uint32_t* keys, size_t n, const KeySteps<uint32_t>& steps) {
  UnmapKeys(keys, n, steps);
}
static void Unmap64(uint64_t* keys, size_t n, const KeySteps<uint64_t>& steps) {
  UnmapKeys(keys, n, steps);
}
static void Sort32(uint32_t* keys, size_t n) { Sort(keys, n); }
static void Sort64(uint64_t* keys, size_t n) { Sort(keys, n); }
static size_t Part32(uint32_t* keys, size_t n, uint32_t pivot) { return Part(keys, n, pivot); }
static size_t Part64(uint64_t* keys, size_t n, uint64_t pivot) { return Part(keys, n, pivot); }
static size_t Count32(const uint32_t* keys, size_t n, uint32_t pivot) {
  return Count(keys, n, pivot);
}
static size_t Count64(const uint64_t* keys, size_t n, uint64_t pivot) {
  return Count(keys, n, pivot);
}
static size_t Partition32(const uint32_t* from, size_t n, uint32_t pivot, uint32_t* low,
                          uint32_t* high) {
  return Partition(from, n, pivot, low, high);
}
static size_t Partition64(const uint64_t* from, size_t n, uint64_t pivot, uint64_t* low,
                          uint64_t* high) {
  return Partition(from, n, pivot, low, high);
}

template <bool kMerges>
void BestsAs(const uint32_t* x, size_t n, const KeySteps<uint32_t>& order, size_t groups,
             uint32_t* bests) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const KeysOf<uint32_t, kMerges> keys(order);
  std::fill_n(bests, groups, UINT32_MAX);
  for (size_t i = 0; i + groups <= n; i += groups) {
    for (size_t g = 0; g < groups; g += lanes)
      hn::StoreU(hn::Min(hn::LoadU(d, bests + g), keys(x + i + g)), d, bests + g);
  }
}

template <bool kMerges>
size_t AppendAs(const uint32_t* x, size_t begin, size_t n, const KeySteps<uint32_t>& order,
                uint32_t below, uint64_t* entries, size_t* count, size_t room) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(d, below);
  const KeysOf<uint32_t, kMerges> keys(order);
  size_t at = *count, i = begin;
  auto append = [&](size_t end) {
    for (; i < end; ++i) {
      const uint32_t key = order(x[i]);
      entries[at] = uint64_t{key} << 32 | i;
      at += key < below ? 1 : 0;
    }
  };
  constexpr size_t kUnroll = 4;
  // Few elements are: one test for several vectors.
  for (; i + kUnroll * lanes <= n && at + 64 <= room;) {
    auto any = hn::Lt(keys(x + i), limit);
    UNROLLED for (size_t k = 1; k < kUnroll; ++k) any =
        hn::Or(any, hn::Lt(keys(x + i + k * lanes), limit));
    if (HWY_LIKELY(hn::AllFalse(d, any))) {
      i += kUnroll * lanes;
    } else {
      append(i + kUnroll * lanes);
    }
  }
  if (at + 64 <= room) append(n);
  *count = at;
  return i;
}

static void Bests(const uint32_t* x, size_t n, const KeySteps<uint32_t>& order, size_t groups,
                  uint32_t* bests) {
  order.merges ? BestsAs<true>(x, n, order, groups, bests)
               : BestsAs<false>(x, n, order, groups, bests);
}
static size_t Append(const uint32_t* x, size_t begin, size_t n, const KeySteps<uint32_t>& order,
                     uint32_t below, uint64_t* entries, size_t* count, size_t room) {
  return order.merges ? AppendAs<true>(x, begin, n, order, below, entries, count, room)
                      : AppendAs<false>(x, begin, n, order, below, entries, count, room);
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

void SortSlowly(uint32_t* keys, size_t n) { std::sort(keys, keys + n); }
void SortSlowly(uint64_t* keys, size_t n) { std::sort(keys, keys + n); }
void SortSlowly(int64_t* keys, size_t n) { std::sort(keys, keys + n); }

template <>
VectorSort<uint32_t> VectorSortFor<uint32_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, Map32),   SINTER_FOR_VECTOR_TARGET(target, Unmap32),
          SINTER_FOR_VECTOR_TARGET(target, Sort32),  SINTER_FOR_VECTOR_TARGET(target, Part32),
          SINTER_FOR_VECTOR_TARGET(target, Count32), SINTER_FOR_VECTOR_TARGET(target, Partition32)};
}
template <>
VectorSort<uint64_t> VectorSortFor<uint64_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, Map64),   SINTER_FOR_VECTOR_TARGET(target, Unmap64),
          SINTER_FOR_VECTOR_TARGET(target, Sort64),  SINTER_FOR_VECTOR_TARGET(target, Part64),
          SINTER_FOR_VECTOR_TARGET(target, Count64), SINTER_FOR_VECTOR_TARGET(target, Partition64)};
}
AppendBelow AppendBelowFor(VectorTarget target) { return SINTER_FOR_VECTOR_TARGET(target, Append); }
BestOfGroups BestOfGroupsFor(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, Bests);
}

}  // namespace sinter::runtime::cpu
#endif
