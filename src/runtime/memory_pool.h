// Memory of a client: aligned blocks, kept after use so that the next run finds pages that are
// already there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/stats.h"

namespace sinter::runtime {

// Every block begins at a multiple of it.
inline constexpr int64_t kAlignment = 64;

struct Block {
  void* data = nullptr;
  int64_t size = 0;  // at least what was asked for
};

class MemoryPool {
 public:
  // `limit`: of all memory held, 0 for none. `pool_limit`: of what is kept for reuse.
  MemoryPool(int64_t limit, int64_t pool_limit);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // A block of at least `bytes` with undefined contents; from 2 MiB in huge pages where the system
  // has them. ResourceExhausted over the limit or where the system has no memory. Safe from several
  // threads, like Free.
  absl::StatusOr<Block> Allocate(int64_t bytes);
  void Free(Block block);

  // Gives what is kept for reuse back to the system.
  void Trim();
  MemoryStats stats() const;

 private:
  // Small blocks come in classes: multiples of 64 bytes up to 1 KiB, then eight steps an octave up
  // to 1 MiB.
  static constexpr int64_t kLarge = int64_t{1} << 20;
  static constexpr int kClasses = 16 + 10 * 8;
  struct FreeNode {
    FreeNode* next;
  };
  static int ClassOf(int64_t bytes);
  static int64_t ClassSize(int index);
  void* TakeLarge(int64_t bytes, int64_t* size);
  void MakeRoom(int64_t bytes);  // for `bytes` more under the limit, out of the pool
  void TrimSmall();

  mutable std::mutex mutex_;
  MemoryStats stats_;
  std::array<FreeNode*, kClasses> small_{};
  int64_t small_pooled_ = 0;
  std::vector<Block> large_;  // the oldest first
};

}  // namespace sinter::runtime
