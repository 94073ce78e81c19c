// Quicksort by vectors: partitions by compression, and sorting networks for what fits in registers.
// Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512 on Intel Skylake", 2017;
// Blacher et al., "Vectorized and performance-portable Quicksort", 2022.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/sort_vectors.cc"
#include "runtime/cpu/sort_vectors.h"

#include <algorithm>
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/sort_keys-inl.h"

namespace sinter::runtime::cpu {

// In n log n steps, for keys of which samples give bad pivots. Not compiled for an instruction set.
void SortSlowly(uint32_t* keys, size_t n);
void SortSlowly(uint64_t* keys, size_t n);

}  // namespace sinter::runtime::cpu

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 16")

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
  // Words of a vector.
  alignas(32) int32_t of[1 << kLanes][8] = {};
  constexpr Orders() {
    constexpr int kWords = 8 / kLanes;
    for (int mask = 0; mask < 1 << kLanes; ++mask) {
      int at = 0;
      for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (int word = 0; word < kWords; ++word) of[mask][at++] = lane * kWords + word;
      }
    }
  }
};
template <class V, class M>
HWY_INLINE void Split(V v, M is_first, V* first, V* others) {
  constexpr size_t kLanes = 32 / sizeof(hn::TFromV<V>);
  static constexpr Orders<kLanes> kOrders;
  unsigned mask;
  if constexpr (kLanes == 8) {
    mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_first.raw)));
  } else {
    mask = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_first.raw)));
  }
  const __m256i* order = reinterpret_cast<const __m256i*>(kOrders.of[mask]);
  const __m256i* rest = reinterpret_cast<const __m256i*>(kOrders.of[~mask & ((1u << kLanes) - 1)]);
  first->raw = _mm256_permutevar8x32_epi32(v.raw, _mm256_load_si256(order));
  others->raw = _mm256_permutevar8x32_epi32(v.raw, _mm256_load_si256(rest));
}
#else
template <class V, class M>
HWY_INLINE void Split(V v, M is_first, V* first, V* others) {
  *first = hn::Compress(v, is_first);
  *others = hn::CompressNot(v, is_first);
}
#endif

// Keys in a matrix of kRows vectors; each column is a lane.
template <class T>
class SmallSort {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr size_t kLanes = HWY_LANES(T);

 public:
  static constexpr size_t kMost = 16 * kLanes;

  // Sorts n <= kMost keys to `to`, which may be `from`.
  static HWY_NOINLINE void Run(const T* from, size_t n, T* to) {
    if (n == 0) return;
    if (n <= 2 * kLanes) return OfRows<2>(from, n, to);
    if (n <= 4 * kLanes) return OfRows<4>(from, n, to);
    if (n <= 8 * kLanes) return OfRows<8>(from, n, to);
    return OfRows<16>(from, n, to);
  }

 private:
  static HWY_INLINE void Exchange(V& a, V& b) {
    const V low = hn::Min(a, b);
    b = hn::Max(a, b);
    a = low;
  }

  template <size_t kRows>
  static HWY_INLINE void OfRows(const T* from, size_t n, T* to) {
    const D d;
    const V last = hn::Set(d, static_cast<T>(~T{0}));
    V rows[kRows];
    UNROLLED for (size_t r = 0; r < kRows; ++r) {
      const size_t at = r * kLanes;
      if (at + kLanes <= n) {
        rows[r] = hn::LoadU(d, from + at);
      } else if (at < n) {
        rows[r] = hn::IfThenElse(hn::FirstN(d, n - at), LoadSome(from + at, n - at), last);
      } else {
        rows[r] = last;
      }
    }
    SortColumns<kRows>(rows);
    if constexpr (kLanes > 1) MergeColumns<kRows, 2>(rows);
    // Now each column is sorted, and follows the one before it.
    HWY_ALIGN T out[kRows * kLanes];
    Transpose<kRows>(rows, out);
    std::memcpy(to, out, n * sizeof(T));
  }

  static HWY_INLINE V LoadSome(const T* from, size_t n) {
    const D d;
    HWY_ALIGN T some[kLanes] = {};
    std::memcpy(some, from, n * sizeof(T));
    return hn::Load(d, some);
  }

  // Bitonic networks, whose exchanges all lead the same way: the merge of sorted halves compares
  // the first with the last.
  template <size_t kRows>
  static HWY_INLINE void SortColumns(V* rows) {
    SortRuns<kRows, 2>(rows);
  }
  template <size_t kRows, size_t kSize>
  static HWY_INLINE void SortRuns(V* rows) {
    UNROLLED for (size_t k = 0; k < kRows / 2; ++k) {
      const size_t first = k / (kSize / 2) * kSize, i = k % (kSize / 2);
      Exchange(rows[first + i], rows[first + kSize - 1 - i]);
    }
    HalfCleaners<kRows, kSize / 4>(rows);
    if constexpr (2 * kSize <= kRows) SortRuns<kRows, 2 * kSize>(rows);
  }
  template <size_t kRows, size_t kDistance>
  static HWY_INLINE void HalfCleaners(V* rows) {
    if constexpr (kDistance > 0) {
      UNROLLED for (size_t i = 0; i < kRows; ++i) {
        if ((i & kDistance) == 0) Exchange(rows[i], rows[i + kDistance]);
      }
      HalfCleaners<kRows, kDistance / 2>(rows);
    }
  }

  // The lane that is `pattern` away, by exclusive or.
  template <size_t pattern>
  static HWY_INLINE V Swapped(V v) {
    const D d;
    using I = hn::Vec<hn::RebindToSigned<D>>;
    const hn::RebindToSigned<D> di;
    const I lanes = hn::Xor(hn::Iota(di, 0), hn::Set(di, static_cast<hwy::MakeSigned<T>>(pattern)));
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, lanes));
  }
  // Lanes whose number has the bit.
  template <size_t bit>
  static HWY_INLINE hn::Mask<D> Upper() {
    const D d;
    return hn::TestBit(hn::Iota(d, 0), hn::Set(d, static_cast<T>(bit)));
  }

  // Pairs of sequences, each in kGroup / 2 lanes, become sequences in kGroup lanes.
  template <size_t kRows, size_t kGroup>
  static HWY_INLINE void MergeColumns(V* rows) {
    // The first against the last: the columns of the partner in reverse, and the rows too.
    const auto upper = Upper<kGroup / 2>();
    UNROLLED for (size_t i = 0; i < kRows / 2; ++i) {
      V &a = rows[i], &b = rows[kRows - 1 - i];
      const V from_b = Swapped<kGroup - 1>(b), from_a = Swapped<kGroup - 1>(a);
      a = hn::IfThenElse(upper, hn::Max(a, from_b), hn::Min(a, from_b));
      b = hn::IfThenElse(upper, hn::Max(b, from_a), hn::Min(b, from_a));
    }
    CleanLanes<kRows, kGroup / 4>(rows);
    HalfCleaners<kRows, kRows / 2>(rows);
    if constexpr (2 * kGroup <= kLanes) MergeColumns<kRows, 2 * kGroup>(rows);
  }
  template <size_t kRows, size_t kDistance>
  static HWY_INLINE void CleanLanes(V* rows) {
    if constexpr (kDistance > 0) {
      const auto upper = Upper<kDistance>();
      UNROLLED for (size_t i = 0; i < kRows; ++i) {
        const V other = Swapped<kDistance>(rows[i]);
        rows[i] = hn::IfThenElse(upper, hn::Max(rows[i], other), hn::Min(rows[i], other));
      }
      CleanLanes<kRows, kDistance / 2>(rows);
    }
  }

  // Column by column. Blocks of as many rows as lanes are turned in registers.
  template <size_t kRows>
  static HWY_INLINE void Transpose(V* rows, T* out) {
    const D d;
    if constexpr (kRows >= kLanes) {
      UNROLLED for (size_t block = 0; block < kRows; block += kLanes) {
        Turn<1>(rows + block);
        UNROLLED for (size_t c = 0; c < kLanes; ++c)
            hn::StoreU(rows[block + c], d, out + c * kRows + block);
      }
    } else {
      HWY_ALIGN T in[kRows * kLanes];
      UNROLLED for (size_t r = 0; r < kRows; ++r) hn::Store(rows[r], d, in + r * kLanes);
      for (size_t c = 0; c < kLanes; ++c) {
        for (size_t r = 0; r < kRows; ++r) out[c * kRows + r] = in[r * kLanes + c];
      }
    }
  }
  template <size_t kDistance>
  static HWY_INLINE void Turn(V* rows) {
    if constexpr (kDistance < kLanes) {
      const auto upper = Upper<kDistance>();
      UNROLLED for (size_t i = 0; i < kLanes; ++i) {
        if ((i & kDistance) != 0) continue;
        V &a = rows[i], &b = rows[i + kDistance];
        const V from_b = Swapped<kDistance>(b), from_a = Swapped<kDistance>(a);
        a = hn::IfThenElse(upper, from_b, a);
        b = hn::IfThenElse(upper, b, from_a);
      }
      Turn<2 * kDistance>(rows);
    }
  }
};

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

template <class T>
HWY_INLINE void Fill(T* keys, size_t n, T key) {
  for (size_t i = 0; i < n; ++i) keys[i] = key;
}

// n keys at `keys`; `spare` has room for as many. The result is at `keys`, or with kMoves at
// `spare`.
template <class T, bool kMoves>
void Quicksort(T* keys, size_t n, T* spare, int depth) {
  T* to = kMoves ? spare : keys;
  if (n <= SmallSort<T>::kMost) return SmallSort<T>::Run(keys, n, to);
  if (depth == 0) {
    SortSlowly(keys, n);
    if (kMoves) std::memcpy(to, keys, n * sizeof(T));
    return;
  }
  // The median of keys at even distances.
  constexpr size_t kSamples = std::min<size_t>(64, SmallSort<T>::kMost);
  T samples[kSamples];
  const size_t step = n / kSamples;
  for (size_t k = 0; k < kSamples; ++k) samples[k] = keys[k * step + step / 2];
  SmallSort<T>::Run(samples, kSamples, samples);
  const T pivot = samples[kSamples / 2];
  // The lower ones go to where the result will be. What the others have to spare is that room's
  // rest, so that both halves are again at their place with room elsewhere, or elsewhere with room
  // there.
  T* const others = kMoves ? keys : spare;
  size_t low = Partition(keys, n, pivot, to, others);
  if (low == 0) {
    // The pivot is the least: its equals are at their place.
    low = pivot == static_cast<T>(~T{0})
              ? n
              : Partition(others, n, static_cast<T>(pivot + 1), to, others);
    Fill(to, low, pivot);
  } else {
    Quicksort<T, false>(to, low, others + (n - low), depth - 1);
  }
  Quicksort<T, true>(others, n - low, to + low, depth - 1);
}

template <class T>
void Sort(T* keys, size_t n, T* spare) {
  int depth = 8;
  for (size_t m = n; m > 1; m /= 2) depth += 2;
  Quicksort<T, false>(keys, n, spare, depth);
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
static void Sort32(uint32_t* keys, size_t n, uint32_t* spare) { Sort(keys, n, spare); }
static void Sort64(uint64_t* keys, size_t n, uint64_t* spare) { Sort(keys, n, spare); }
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

template <>
VectorSort<uint32_t> VectorSortFor<uint32_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, Map32), SINTER_FOR_VECTOR_TARGET(target, Unmap32),
          SINTER_FOR_VECTOR_TARGET(target, Sort32), SINTER_FOR_VECTOR_TARGET(target, Partition32)};
}
template <>
VectorSort<uint64_t> VectorSortFor<uint64_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, Map64), SINTER_FOR_VECTOR_TARGET(target, Unmap64),
          SINTER_FOR_VECTOR_TARGET(target, Sort64), SINTER_FOR_VECTOR_TARGET(target, Partition64)};
}
AppendBelow AppendBelowFor(VectorTarget target) { return SINTER_FOR_VECTOR_TARGET(target, Append); }
BestOfGroups BestOfGroupsFor(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, Bests);
}

}  // namespace sinter::runtime::cpu
#endif
