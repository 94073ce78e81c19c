// The orders of elements that the library sorts by, as orders of unsigned integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "program/sort_layout.h"
#include "runtime/cpu/sort_vectors.h"

namespace sinter::runtime::cpu {

// Unsigned integers in the order of elements, and back. Of a merged order all zeros become one of
// them, and all NaNs.
template <class Key>
struct OrderedBits {
  static constexpr Key kSign = KeySteps<Key>::kTop;
  program::SortLayout::Order order = program::SortLayout::kUnsigned;
  Key flip = 0, infinity = 0;

  OrderedBits() = default;
  explicit OrderedBits(const program::SortLayout::Key& key)
      : order(key.order),
        flip(key.descending ? static_cast<Key>(~Key{0}) : Key{0}),
        infinity(static_cast<Key>(key.infinity)) {}

  KeySteps<Key> Steps() const {
    return {order == program::SortLayout::kMerged,
            order == program::SortLayout::kFloat || order == program::SortLayout::kMerged,
            order == program::SortLayout::kUnsigned ? Key{0} : kSign, flip, infinity};
  }
  // Of elements that are the high bits of wider ones; what is below them stays 0 or, flipped, 1.
  template <class Wide>
  KeySteps<Wide> StepsOfHighBits() const {
    constexpr int kShift = 8 * static_cast<int>(sizeof(Wide) - sizeof(Key));
    const KeySteps<Key> own = Steps();
    KeySteps<Wide> steps{own.merges, own.is_float, static_cast<Wide>(Wide{own.sign} << kShift),
                         own.flip == 0 ? Wide{0} : static_cast<Wide>(~Wide{0}), 0};
    if (steps.merges)
      steps.infinity = static_cast<Wide>((static_cast<Wide>(Wide{own.infinity} + 1) << kShift) - 1);
    return steps;
  }
  bool IsPlain() const { return order == program::SortLayout::kUnsigned && flip == 0; }
  Key operator()(Key x) const { return Steps()(x); }
  Key Inverse(Key key) const { return Steps().Inverse(key); }
  // Gives zeros and NaNs among n results back their own bits, in the order of the elements.
  void Restore(const Key* from, size_t n, Key* results) const {
    if (order != program::SortLayout::kMerged) return;
    const Key classes[] = {0, static_cast<Key>(infinity + 1)};
    for (const Key of : classes) {
      const Key key = (*this)(of);
      Key* at = std::partition_point(results, results + n, [&](Key x) { return (*this)(x) < key; });
      if (at == results + n || (*this)(*at) != key) continue;
      if (of == 0 && std::find(from, from + n, kSign) == from + n) continue;
      for (size_t i = 0; i < n; ++i) {
        if ((*this)(from[i]) == key) *at++ = from[i];
      }
    }
  }
};

// The keys of n elements, at most kOrderedBlock, and elements of keys, in place. Narrow ones are
// the high bits of wider ones meanwhile.
inline constexpr size_t kOrderedBlock = 512;
template <class Key>
void MapBlock(const OrderedBits<Key>& order, VectorTarget target, const Key* from, size_t n,
              Key* to) {
  if constexpr (sizeof(Key) >= 4) {
    VectorSortFor<Key>(target).map(from, n, order.Steps(), to);
  } else {
    constexpr int kShift = 32 - 8 * static_cast<int>(sizeof(Key));
    uint32_t wide[kOrderedBlock];
    for (size_t i = 0; i < n; ++i) wide[i] = static_cast<uint32_t>(from[i]) << kShift;
    VectorSortFor<uint32_t>(target).map(wide, n, order.template StepsOfHighBits<uint32_t>(), wide);
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<Key>(wide[i] >> kShift);
  }
}
template <class Key>
void UnmapBlock(const OrderedBits<Key>& order, VectorTarget target, Key* keys, size_t n) {
  if (order.IsPlain()) return;
  if constexpr (sizeof(Key) >= 4) {
    VectorSortFor<Key>(target).unmap(keys, n, order.Steps());
  } else {
    constexpr int kShift = 32 - 8 * static_cast<int>(sizeof(Key));
    uint32_t wide[kOrderedBlock];
    for (size_t i = 0; i < n; ++i) wide[i] = static_cast<uint32_t>(keys[i]) << kShift;
    VectorSortFor<uint32_t>(target).unmap(wide, n, order.template StepsOfHighBits<uint32_t>());
    for (size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(wide[i] >> kShift);
  }
}

}  // namespace sinter::runtime::cpu
