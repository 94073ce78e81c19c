// What is sorted in the place of elements that are more than their keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/cpu/sort_order.h"

namespace sinter::runtime::cpu {

// The keys of a row, and which of them there are.
template <class Key>
struct RowKeys {
  const Key* at = nullptr;
  OrderedBits<Key> order;  // of them to the integers that are sorted
  Key least = 0, most = static_cast<Key>(~Key{0});

  int Bits() const {
    int bits = 0;
    for (Key range = most - least; range > 0; range >>= 1) ++bits;
    return bits;
  }
};

// What a row's elements are while they are sorted, where more than the keys is: what the keys are
// above the least one, and positions in one integer. Keys lose their low bits in that if they and
// the positions have more bits than an entry.
template <class Key, class Entry>
struct Entries {
  RowKeys<Key> keys;
  int position_bits, dropped = 0;

  Entry Of(Key key, size_t i) const {
    const Entry high = static_cast<Entry>(static_cast<Key>(key - keys.least) >> dropped);
    return static_cast<Entry>(high << position_bits) | static_cast<Entry>(i);
  }
  Entry At(size_t i) const { return Of(keys.order(keys.at[i]), i); }
  uint32_t PositionOf(Entry e) const {
    return static_cast<uint32_t>(e & ((Entry{1} << position_bits) - 1));
  }
  // Where the bits end that an entry has above its position.
  int LastBit() const { return keys.Bits() - dropped + position_bits; }
  // The least key whose entries are not below this one, which has position 0.
  Key LeastKey(Entry e) const {
    return static_cast<Key>(static_cast<Key>(static_cast<Key>(e >> position_bits) << dropped) +
                            keys.least);
  }
  // The least entry of its key.
  Entry WithoutPosition(Entry e) const { return e >> position_bits << position_bits; }
  // Where none of its bits are dropped.
  Key KeyOf(Entry e) const {
    return static_cast<Key>(static_cast<Key>(e >> position_bits) + keys.least);
  }
  // Sorts by their whole keys the entries that look equal.
  void Finish(Entry* sorted, size_t n) const {
    if (dropped == 0) return;
    for (size_t first = 0; first < n;) {
      size_t end = first + 1;
      while (end < n && WithoutPosition(sorted[end]) == WithoutPosition(sorted[first])) ++end;
      if (end - first > 1) {
        std::sort(sorted + first, sorted + end, [&](Entry a, Entry b) {
          const Key x = keys.order(keys.at[PositionOf(a)]), y = keys.order(keys.at[PositionOf(b)]);
          return x != y ? x < y : a < b;
        });
      }
      first = end;
    }
  }
};

}  // namespace sinter::runtime::cpu
