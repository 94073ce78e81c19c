// Scratch memory of library calls.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sinter::program {

// Calls that are worked on side by side, each in scratch memory of its own: as many as there are
// threads, in bounded memory.
inline constexpr int64_t kMostThreads = 64;
inline int64_t SlotsFor(int64_t calls, int64_t bytes, int64_t threads) {
  constexpr int64_t kBytes = int64_t{64} << 20;
  return std::clamp<int64_t>(
      kBytes / std::max<int64_t>(bytes, 1), 1,
      std::clamp<int64_t>(calls, 1, std::clamp<int64_t>(threads, 1, kMostThreads)));
}
inline int64_t WholeLines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace sinter::program
