// Offsets for values whose live ranges are known.
#pragma once

#include <cstdint>
#include <vector>

namespace sinter {

struct Lifetime {
  int64_t size = 0;        // bytes
  int begin = 0, end = 0;  // inclusive
  int64_t offset = 0;      // result
};

// Gives intervals that overlap in time disjoint ranges; offsets are multiples of 64. Returns the
// bytes needed.
int64_t PackIntervals(std::vector<Lifetime>& intervals);

}  // namespace sinter
