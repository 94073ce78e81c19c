// Sorting unsigned integers with the processor's vectors: the pieces that sort.cc and top_k.cc are
// made of, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vector_targets.h"

namespace sinter::runtime::cpu {

// How bits become unsigned integers in the order of what they stand for: if `merges`, those whose
// magnitude is above `infinity` become infinity + 1, and -0 becomes 0; then if `is_float` all bits
// but the sign of the negative ones are flipped; then those of `sign` and `flip`.
template <class Key>
struct KeySteps {
  static constexpr Key kTop = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  bool merges = false, is_float = false;
  Key sign = 0, flip = 0, infinity = 0;

  Key operator()(Key x) const {
    if (merges) {
      const Key magnitude = x & static_cast<Key>(~kTop);
      x = magnitude > infinity ? static_cast<Key>(infinity + 1) : magnitude == 0 ? Key{0} : x;
    }
    return static_cast<Key>(Flipped(x) ^ sign ^ flip);
  }
  // Where zeros and NaNs are not merged.
  Key Inverse(Key key) const { return Flipped(static_cast<Key>(key ^ sign ^ flip)); }

 private:
  Key Flipped(Key x) const {
    return is_float && (x & kTop) != 0 ? static_cast<Key>(x ^ static_cast<Key>(~kTop)) : x;
  }
};

// Key is uint32_t or uint64_t.
template <class Key>
struct VectorSort {
  // n keys of elements, and elements of keys, in place.
  void (*map)(const Key* from, size_t n, const KeySteps<Key>& steps, Key* to);
  void (*unmap)(Key* keys, size_t n, const KeySteps<Key>& steps);
  // Sorts keys[0, n), ascending. In n log n steps, whatever the keys.
  void (*sort)(Key* keys, size_t n);
  // Moves the keys of [0, n) below `pivot` before the others, and returns how many are below.
  size_t (*part)(Key* keys, size_t n, Key pivot);
  // How many of n keys are below `pivot`.
  size_t (*count)(const Key* keys, size_t n, Key pivot);
  // Writes the keys of from[0, n) below `pivot` from `low` on and the others from `high` on, each
  // in their order, and returns how many are below. `low` and `high` have room for n keys each;
  // `low` may be `from`.
  size_t (*partition)(const Key* from, size_t n, Key pivot, Key* low, Key* high);
};

// From `begin` on appends order(x[i]) << 32 | i for the elements with order(x[i]) < below to
// entries[*count ...), until the end n, or until there is not room for 64 more below `room`.
// Returns where it stopped.
using AppendBelow = size_t (*)(const uint32_t* x, size_t begin, size_t n,
                               const KeySteps<uint32_t>& order, uint32_t below, uint64_t* entries,
                               size_t* count, size_t room);

inline constexpr size_t kGroupLanes = 16;
// The least order(x[i]) of each of `groups` groups of the n elements, to bests: group g has those
// with i mod groups = g, without the last n mod groups. `groups` is a multiple of kGroupLanes.
using BestOfGroups = void (*)(const uint32_t* x, size_t n, const KeySteps<uint32_t>& order,
                              size_t groups, uint32_t* bests);

template <class Key>
VectorSort<Key> VectorSortFor(VectorTarget target);
template <>
VectorSort<uint32_t> VectorSortFor<uint32_t>(VectorTarget target);
template <>
VectorSort<uint64_t> VectorSortFor<uint64_t>(VectorTarget target);
AppendBelow AppendBelowFor(VectorTarget target);
BestOfGroups BestOfGroupsFor(VectorTarget target);

}  // namespace sinter::runtime::cpu
