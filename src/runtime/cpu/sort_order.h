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
  static constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  program::SortLayout::Order order = program::SortLayout::kUnsigned;
  Key flip = 0, infinity = 0;

  explicit OrderedBits(const program::SortLayout& layout)
      : order(layout.order),
        flip(layout.descending ? static_cast<Key>(~Key{0}) : Key{0}),
        infinity(static_cast<Key>(layout.infinity)) {}

  KeySteps<Key> Steps() const {
    return {order == program::SortLayout::kMerged,
            order == program::SortLayout::kFloat || order == program::SortLayout::kMerged,
            order == program::SortLayout::kUnsigned ? Key{0} : kSign, flip, infinity};
  }
  bool IsPlain() const { return order == program::SortLayout::kUnsigned && flip == 0; }
  Key Magnitude(Key x) const { return x & static_cast<Key>(~kSign); }
  Key operator()(Key x) const {
    if (order == program::SortLayout::kMerged) {
      const Key magnitude = Magnitude(x);
      x = magnitude > infinity ? static_cast<Key>(infinity + 1) : magnitude == 0 ? Key{0} : x;
    }
    if (order == program::SortLayout::kSigned) {
      x ^= kSign;
    } else if (order != program::SortLayout::kUnsigned) {
      x ^= (x & kSign) != 0 ? static_cast<Key>(~Key{0}) : kSign;
    }
    return x ^ flip;
  }
  Key Inverse(Key key) const {
    key ^= flip;
    if (order == program::SortLayout::kSigned) return key ^ kSign;
    if (order == program::SortLayout::kUnsigned) return key;
    return key ^ ((key & kSign) != 0 ? kSign : static_cast<Key>(~Key{0}));
  }
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

}  // namespace sinter::runtime::cpu
