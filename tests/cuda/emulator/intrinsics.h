// The intrinsics of the device that the host lacks. To add one: a function and a line of the table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sinter::emulator {

class Block;
struct Site;

struct Geometry {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1},
      index{0, 0, 0};  // `index`: of the block in the grid
};

// A copy from global to shared memory that has begun and may land at any time until it is waited
// for.
struct PendingCopy {
  char* destination;
  const char* source;
  size_t bytes, zero_from;  // bytes from `zero_from` on are zero instead
  int group;                // 0: of the group that is still open; else its number
};
struct PendingCopies {
  std::vector<PendingCopy> list;
  int groups = 0;  // committed
};

// A call by one thread. Every argument and every field of the result takes a word, its value in the
// low bits.
struct ThreadCall {
  Block& block;
  const Site& site;
  const uint64_t* arguments;
  uint64_t* results;
};
// A call by the lanes of a warp that its mask names; the others' pointers are null.
struct WarpCall {
  Block& block;
  const Site& site;
  uint32_t mask = 0;
  std::array<const uint64_t*, 32> arguments{};
  std::array<uint64_t*, 32> results{};
};

struct Intrinsic {
  enum class Kind : uint8_t { kThread, kWarp, kBarrier };
  std::string_view name;  // LLVM's, without "llvm.nvvm."
  Kind kind = Kind::kThread;
  void (*thread)(const ThreadCall&) = nullptr;
  // Runs once, when the last lane has come.
  void (*warp)(const WarpCall&) = nullptr;
  int mask_argument = -1;  // kWarp: which argument is the mask of lanes; -1: all of them
  // kWarp: runs for each lane as it comes, for instance to check what it reads.
  void (*arrive)(const ThreadCall&) = nullptr;
};

// Null where there is none of that name.
const Intrinsic* FindIntrinsic(std::string_view name);

}  // namespace sinter::emulator
