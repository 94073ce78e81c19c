// How several threads cut what they sort into parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace sinter::runtime::cpu {

inline constexpr size_t kMostSortParts = 16, kSortSamples = 64;

// A power of two: as many parts as there are threads, if those are not too many.
inline size_t SortParts(int threads) {
  size_t parts = 2;
  while (parts < kMostSortParts && parts < static_cast<size_t>(threads)) parts *= 2;
  return parts;
}

// Of n elements, element i of which is at(i), those that cut them into parts of about the same
// size: the least of each part, but of the first. There are kSortSamples for each part at least.
template <class T, class At>
std::array<T, kMostSortParts> SortPivots(size_t n, size_t parts, At at) {
  std::array<T, kMostSortParts * kSortSamples> samples;
  const size_t count = parts * kSortSamples;
  for (size_t k = 0; k < count; ++k) samples[k] = at(k * (n / count));
  std::sort(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(count));
  std::array<T, kMostSortParts> pivots{};
  for (size_t part = 1; part < parts; ++part) pivots[part] = samples[part * kSortSamples];
  return pivots;
}

}  // namespace sinter::runtime::cpu
