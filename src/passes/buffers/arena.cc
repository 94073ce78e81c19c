#include "passes/buffers/arena.h"

#include <algorithm>
#include <numeric>

namespace sinter {

int64_t PackIntervals(std::vector<Lifetime>& intervals) {
  constexpr int64_t kAlign = 64;
  std::vector<size_t> by_size(intervals.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return intervals[a].size > intervals[b].size; });
  std::vector<size_t> placed;  // by offset
  int64_t total = 0;
  for (size_t k : by_size) {
    Lifetime& v = intervals[k];
    const int64_t size = (v.size + kAlign - 1) / kAlign * kAlign;
    int64_t at = 0;
    for (size_t p : placed) {
      const Lifetime& other = intervals[p];
      if (other.end < v.begin || v.end < other.begin) continue;
      if (at + size <= other.offset) break;
      at = std::max(at, other.offset + (other.size + kAlign - 1) / kAlign * kAlign);
    }
    v.offset = at;
    total = std::max(total, at + size);
    auto where = std::upper_bound(placed.begin(), placed.end(), at, [&](int64_t offset, size_t p) {
      return offset < intervals[p].offset;
    });
    placed.insert(where, k);
  }
  return total;
}

}  // namespace sinter
