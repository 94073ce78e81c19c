// Which banks of shared memory the accesses of a warp fall into.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "cuda/emulator/emulator.h"

namespace sinter::emulator {

struct Site;

// The accesses of one block, in whatever order its threads run: the n-th of a thread at an
// instruction belongs to the n-th of the others of its warp.
class BankCounter {
 public:
  // The thread accesses `bytes` of shared memory at byte `offset`.
  void Note(uint32_t site, uint32_t thread, int64_t offset, int64_t bytes);
  // Adds what the block has done to `banks`, one entry an instruction, and forgets it.
  void EndBlock(const std::vector<Site>& sites, std::vector<BankUse>& banks);

 private:
  static constexpr uint32_t kWarp = 32;
  struct Access {
    int64_t bytes = 0;                   // of each lane
    std::array<int64_t, kWarp> offsets;  // by lane; -1: takes no part
  };
  std::map<std::tuple<uint32_t, uint32_t>, uint32_t> count_;             // site, thread
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Access> accesses_;  // site, warp, n
};

}  // namespace sinter::emulator
