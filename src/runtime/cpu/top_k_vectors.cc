#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/top_k_vectors.cc"
#include "runtime/cpu/top_k_vectors.h"
#include "base/vector_targets.h"

#include <algorithm>
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/fft_lanes-inl.h"
#include "runtime/cpu/sort_keys-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::top_k {

namespace hn = hwy::HWY_NAMESPACE;
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 16")

using RowsTag = hn::ScalableTag<uint32_t>;
using RowsVector = hn::Vec<RowsTag>;

// The best so far of each lane's row, the best first.
template <int kMost>
struct BestInLanes {
  RowsVector keys[kMost], positions[kMost];

  HWY_INLINE void Clear() {
    UNROLLED for (int i = 0; i < kMost; ++i) {
      keys[i] = hn::Set(RowsTag(), UINT32_MAX);
      positions[i] = hn::Zero(RowsTag());
    }
  }
  // The first `taken` are elements: equal ones come after them.
  HWY_INLINE void Insert(RowsVector key, uint32_t position, int taken) {
    const RowsTag d;
    const auto at = hn::Set(d, position);
    UNROLLED for (int i = kMost - 1; i >= 0; --i) {
      auto here = hn::Lt(key, keys[i]);
      if (i >= taken) here = hn::Or(here, hn::Eq(key, keys[i]));
      RowsVector next_key = key, next_position = at;
      if (i > 0) {
        auto before = hn::Lt(key, keys[HWY_MAX(i - 1, 0)]);
        if (i - 1 >= taken) before = hn::Or(before, hn::Eq(key, keys[HWY_MAX(i - 1, 0)]));
        next_key = hn::IfThenElse(before, keys[HWY_MAX(i - 1, 0)], key);
        next_position = hn::IfThenElse(before, positions[HWY_MAX(i - 1, 0)], at);
      }
      keys[i] = hn::IfThenElse(here, next_key, keys[i]);
      positions[i] = hn::IfThenElse(here, next_position, positions[i]);
    }
  }
  HWY_INLINE void Meet(RowsVector key, int64_t position) {
    const auto at = static_cast<uint32_t>(position);
    if (HWY_UNLIKELY(position < kMost)) return Insert(key, at, static_cast<int>(position));
    // Most elements are none of the best in any row.
    if (hn::AllFalse(RowsTag(), hn::Lt(key, keys[kMost - 1]))) return;
    Insert(key, at, kMost);
  }
};

template <int kMost, bool kMerges>
HWY_NOINLINE void BestOfRows(const ShortRows& rows) {
  constexpr int64_t kLanes = HWY_LANES(float);
  const RowsTag d;
  const KeysOf<uint32_t, kMerges> keys(rows.order);
  BestInLanes<kMost> best;
  best.Clear();
  auto meet = [&](auto row, int64_t first, int64_t count) HWY_ATTR {
    fft::Vector<float> columns[kLanes];
    fft::LoadTransposed<float>(row, columns);
    HWY_ALIGN uint32_t block[kLanes * kLanes];
    UNROLLED for (int64_t i = 0; i < kLanes; ++i)
        hn::Store(keys(hn::BitCast(d, columns[i])), d, block + i * kLanes);
    for (int64_t i = 0; i < count; ++i) best.Meet(hn::Load(d, block + i * kLanes), first + i);
  };
  // Lanes without a row have the last one.
  auto row_at = [&](int64_t l) HWY_ATTR {
    return reinterpret_cast<const float*>(rows.x + std::min(l, rows.rows - 1) * rows.extent);
  };
  int64_t first = 0;
  for (; first + kLanes <= rows.extent; first += kLanes)
    meet([&](int64_t l) HWY_ATTR { return row_at(l) + first; }, first, kLanes);
  if (const int64_t rest = rows.extent - first; rest > 0) {
    HWY_ALIGN float last[kLanes * kLanes] = {};
    for (int64_t l = 0; l < kLanes; ++l)
      std::memcpy(last + l * kLanes, row_at(l) + first, static_cast<size_t>(rest) * sizeof(float));
    meet([&](int64_t l) HWY_ATTR { return last + l * kLanes; }, first, rest);
  }
  for (int64_t i = 0; i < rows.k; ++i) {
    HWY_ALIGN uint32_t of_positions[kLanes];
    hn::Store(best.positions[i], d, of_positions);
    for (int64_t l = 0; l < rows.rows; ++l) {
      rows.values[l * rows.k + i] = rows.x[l * rows.extent + of_positions[l]];
      rows.positions[l * rows.k + i] = of_positions[l];
    }
  }
}

template <bool kMerges>
void BestOfRowsOf(const ShortRows& rows) {
  if (rows.k == 1) return BestOfRows<1, kMerges>(rows);
  if (rows.k == 2) return BestOfRows<2, kMerges>(rows);
  if (rows.k <= 4) return BestOfRows<4, kMerges>(rows);
  if (rows.k <= 8) return BestOfRows<8, kMerges>(rows);
  BestOfRows<16, kMerges>(rows);
}
static void BestOfAnyRows(const ShortRows& rows) {
  rows.order.merges ? BestOfRowsOf<true>(rows) : BestOfRowsOf<false>(rows);
}
static int64_t LanesOfRows() { return HWY_LANES(uint32_t); }

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::top_k
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

BestOfShortRows BestOfShortRowsFor(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, top_k::LanesOfRows)(),
          SINTER_FOR_VECTOR_TARGET(target, top_k::BestOfAnyRows)};
}

}  // namespace sinter::runtime::cpu
#endif
