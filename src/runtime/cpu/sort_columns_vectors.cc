#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/sort_columns_vectors.cc"
#include "runtime/cpu/sort_columns_vectors.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void SortColumns(T* matrix, const Exchange* exchanges, size_t count) {
  const hn::ScalableTag<T> d;
  constexpr size_t kColumns = ColumnSort<T>::kColumns, kLanes = HWY_LANES(T);
  for (size_t e = 0; e < count; ++e) {
    T* const a = matrix + exchanges[e].first * kColumns;
    T* const b = matrix + exchanges[e].second * kColumns;
    for (size_t c = 0; c < kColumns; c += kLanes) {
      const auto x = hn::Load(d, a + c), y = hn::Load(d, b + c);
      hn::Store(hn::Min(x, y), d, a + c);
      hn::Store(hn::Max(x, y), d, b + c);
    }
  }
}

template <class T>
HWY_INLINE void SortColumnPairs(T* matrix, T* seconds, const Exchange* exchanges, size_t count) {
  const hn::ScalableTag<T> d;
  constexpr size_t kColumns = ColumnSort<T>::kColumns, kLanes = HWY_LANES(T);
  for (size_t e = 0; e < count; ++e) {
    const size_t a = exchanges[e].first * kColumns, b = exchanges[e].second * kColumns;
    for (size_t c = 0; c < kColumns; c += kLanes) {
      const auto x = hn::Load(d, matrix + a + c), y = hn::Load(d, matrix + b + c);
      const auto p = hn::Load(d, seconds + a + c), q = hn::Load(d, seconds + b + c);
      const auto stay = hn::Or(hn::Lt(x, y), hn::And(hn::Eq(x, y), hn::Lt(p, q)));
      hn::Store(hn::IfThenElse(stay, x, y), d, matrix + a + c);
      hn::Store(hn::IfThenElse(stay, y, x), d, matrix + b + c);
      hn::Store(hn::IfThenElse(stay, p, q), d, seconds + a + c);
      hn::Store(hn::IfThenElse(stay, q, p), d, seconds + b + c);
    }
  }
}

template <class T>
HWY_INLINE bool HasSpecial(const T* floats, size_t n, T infinity) {
  const hn::ScalableTag<T> d;
  constexpr T kSign = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  const auto sign = hn::Set(d, kSign), above = hn::Set(d, infinity);
  auto any = hn::Eq(sign, hn::Zero(d));
  for (size_t i = 0; i < n; i += HWY_LANES(T)) {
    const auto x = hn::LoadU(d, floats + i);
    any = hn::Or(any, hn::Or(hn::Eq(x, sign), hn::Gt(hn::AndNot(sign, x), above)));
  }
  return !hn::AllFalse(d, any);
}

static void SortColumns32(uint32_t* matrix, const Exchange* exchanges, size_t count) {
  SortColumns(matrix, exchanges, count);
}
static void SortColumns64(uint64_t* matrix, const Exchange* exchanges, size_t count) {
  SortColumns(matrix, exchanges, count);
}
static void SortColumnPairs32(uint32_t* matrix, uint32_t* seconds, const Exchange* exchanges,
                              size_t count) {
  SortColumnPairs(matrix, seconds, exchanges, count);
}
static bool HasSpecial32(const uint32_t* floats, size_t n, uint32_t infinity) {
  return HasSpecial(floats, n, infinity);
}
static void SortColumnPairs64(uint64_t* matrix, uint64_t* seconds, const Exchange* exchanges,
                              size_t count) {
  SortColumnPairs(matrix, seconds, exchanges, count);
}
static bool HasSpecial64(const uint64_t* floats, size_t n, uint64_t infinity) {
  return HasSpecial(floats, n, infinity);
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

template <>
ColumnSort<uint32_t> ColumnSortFor<uint32_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, SortColumns32),
          SINTER_FOR_VECTOR_TARGET(target, SortColumnPairs32),
          SINTER_FOR_VECTOR_TARGET(target, HasSpecial32)};
}
template <>
ColumnSort<uint64_t> ColumnSortFor<uint64_t>(VectorTarget target) {
  return {SINTER_FOR_VECTOR_TARGET(target, SortColumns64),
          SINTER_FOR_VECTOR_TARGET(target, SortColumnPairs64),
          SINTER_FOR_VECTOR_TARGET(target, HasSpecial64)};
}

}  // namespace sinter::runtime::cpu
#endif
