// Memory of the host: blocks are reused so that the next run finds pages that are already
// there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/memory_pool.h"

namespace sinter::runtime {

class HostMemoryPool final : public MemoryPool {
 public:
  // `limit`: of all memory held, 0 for none. `pool_limit`: of free memory for reuse.
  HostMemoryPool(int64_t limit, int64_t pool_limit);
  ~HostMemoryPool() override;

  // From 2 MiB in huge pages where the system has them.
  absl::StatusOr<Block> Allocate(int64_t bytes) override;
  void Free(Block block) override;
  void Trim() override;
  MemoryStats stats() const override;
  void ResetPeak() override;

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
