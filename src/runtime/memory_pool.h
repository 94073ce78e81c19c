// Memory of a device as a client sees it: aligned blocks.
#pragma once

#include <cstdint>

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
  MemoryPool() = default;
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // A block of at least `bytes` with undefined contents. ResourceExhausted over the client's limit
  // or where the device has no memory. Safe from several threads, like Free.
  virtual absl::StatusOr<Block> Allocate(int64_t bytes) = 0;
  // Work that has been submitted to the device before may still use the block.
  virtual void Free(Block block) = 0;

  // Returns free memory to the system.
  virtual void Trim() = 0;
  virtual MemoryStats stats() const = 0;
  // MemoryStats::peak_in_use counts from what is in use now.
  virtual void ResetPeak() = 0;
};

}  // namespace sinter::runtime
