// Sorting networks for as many keys as fit in registers a few times. Compiled for each instruction
// set, as often as Highway includes the file.
#if defined(SINTER_SORT_SMALL) == defined(HWY_TARGET_TOGGLE)
#ifdef SINTER_SORT_SMALL
#undef SINTER_SORT_SMALL
#else
#define SINTER_SORT_SMALL
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 16")

// Whether the lesser of two keys takes a comparison, which is of signed integers, and a choice.
template <class T>
inline constexpr bool kComparesOnly = sizeof(T) == 8 && HWY_TARGET != HWY_AVX3;

// Keys in a matrix of kRows vectors; each column is a lane.
template <class T>
class SmallSort {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr size_t kLanes = HWY_LANES(T);
  static constexpr size_t kMostRows = 16, kMatrix = kMostRows * kLanes;
  static constexpr bool kCompares = kComparesOnly<T>;

 public:
  static constexpr size_t kMost = 4 * kMatrix;

  // Sorts n <= kMost keys to `to`, which may be `from`.
  static HWY_NOINLINE void Run(const T* from, size_t n, T* to) {
    if (n == 0) return;
    if (n <= 2 * kLanes) return OfRows<2>(from, n, to);
    if (n <= 4 * kLanes) return OfRows<4>(from, n, to);
    if (n <= 8 * kLanes) return OfRows<8>(from, n, to);
    if (n <= kMatrix) return OfRows<kMostRows>(from, n, to);
    OfSeveral(from, n, to);
  }

 private:
  static constexpr T kLast = std::numeric_limits<T>::max();

  static HWY_INLINE void Exchange(V& a, V& b) {
    if constexpr (kCompares) {
      const auto turned = hn::Lt(b, a);
      const V low = hn::IfThenElse(turned, b, a);
      b = hn::IfThenElse(turned, a, b);
      a = low;
    } else {
      const V low = hn::Min(a, b);
      b = hn::Max(a, b);
      a = low;
    }
  }
  // Of two vectors the lesser keys, and in the lanes of `upper` the greater ones.
  static HWY_INLINE V Choose(hn::Mask<hn::ScalableTag<T>> upper, V a, V b) {
    if constexpr (kCompares) return hn::IfThenElse(hn::Xor(hn::Lt(a, b), upper), a, b);
    return hn::IfThenElse(upper, hn::Max(a, b), hn::Min(a, b));
  }

  // Matrices side by side, each sorted, and merged.
  static HWY_INLINE void OfSeveral(const T* from, size_t n, T* to) {
    HWY_ALIGN T out[kMost];
    size_t size = kMatrix;  // what there is of keys that are sorted, and of others that fill it up
    Run(from, kMatrix, out);
    while (size < n) {
      const size_t rest = std::min(n - size, size);
      Run(from + size, rest, out + size);
      std::fill_n(out + size + rest, size - rest, kLast);
      size *= 2;
      Merge(out, size);
    }
    std::memcpy(to, out, n * sizeof(T));
  }
  // The keys of both halves of `size`, each sorted. The first against the last leaves the lesser
  // ones in the first half; the distances then halve.
  static HWY_INLINE void Merge(T* keys, size_t size) {
    const D d;
    for (size_t i = 0; i < size / 2; i += kLanes) {
      T *const low = keys + i, *const high = keys + size - kLanes - i;
      V a = hn::Load(d, low), b = Swapped<kLanes - 1>(hn::Load(d, high));
      Exchange(a, b);
      hn::Store(a, d, low);
      hn::Store(b, d, high);
    }
    for (size_t distance = size / 4; distance >= kMatrix; distance /= 2) {
      for (size_t i = 0; i < size; i += kLanes) {
        if ((i & distance) != 0) continue;
        V a = hn::Load(d, keys + i), b = hn::Load(d, keys + i + distance);
        Exchange(a, b);
        hn::Store(a, d, keys + i);
        hn::Store(b, d, keys + i + distance);
      }
    }
    for (T* at = keys; at < keys + size; at += kMatrix) {
      V rows[kMostRows];
      UNROLLED for (size_t r = 0; r < kMostRows; ++r) rows[r] = hn::Load(d, at + r * kLanes);
      HalfCleaners<kMostRows, kMostRows / 2>(rows);
      CleanLanes<kMostRows, kLanes / 2>(rows);
      UNROLLED for (size_t r = 0; r < kMostRows; ++r) hn::Store(rows[r], d, at + r * kLanes);
    }
  }

  template <size_t kRows>
  static HWY_INLINE void OfRows(const T* from, size_t n, T* to) {
    const D d;
    const V last = hn::Set(d, kLast);
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
      a = Choose(upper, a, from_b);
      b = Choose(upper, b, from_a);
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
        rows[i] = Choose(upper, rows[i], other);
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

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SINTER_SORT_SMALL
