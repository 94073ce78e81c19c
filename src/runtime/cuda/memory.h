// Device memory in the order of the stream, and pinned memory of the host for copies.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cuda/context.h"
#include "runtime/memory_pool.h"

namespace sinter::runtime::cuda {

// A pool of the client's own (the device's default one is the host's), from which nothing is
// reserved in advance. Blocks are good for work submitted between Allocate and Free. `limit`: of
// what is in use, 0 for none. `pool_limit`: what the driver may keep for reuse when it
// synchronises.
// `peers`: devices that read and write its memory too, where the machine lets them.
absl::StatusOr<std::shared_ptr<MemoryPool>> MakeMemoryPool(std::shared_ptr<Context> context,
                                                           int64_t limit, int64_t pool_limit,
                                                           absl::Span<const DeviceId> peers = {});

// Memory of the host that the device reads and writes by itself.
class PinnedBlock {
 public:
  static absl::StatusOr<std::unique_ptr<PinnedBlock>> Make(std::shared_ptr<Context> context,
                                                           int64_t bytes);
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;
  char* data() const { return data_; }

 private:
  PinnedBlock(std::shared_ptr<Context> context, char* data)
      : context_(std::move(context)), data_(data) {}
  const std::shared_ptr<Context> context_;
  char* const data_;
};

// Copies between the device and any memory of the host, through pinned chunks: while one is being
// copied by the device, the other is by the processor.
class Staging {
 public:
  explicit Staging(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Staging();

  // As Device's.
  absl::Status CopyFromHost(void* to, const void* from, int64_t bytes);
  absl::Status CopyToHost(void* to, const void* from, int64_t bytes);

 private:
  static constexpr int64_t kChunk = int64_t{1} << 20;
  struct Chunk {
    std::unique_ptr<PinnedBlock> block;
    EventHandle busy = nullptr;  // until it has happened, the device uses the chunk
    // Of CopyToHost: where the chunk goes once it is there.
    char* destination = nullptr;
    int64_t bytes = 0;
  };
  // Two of each direction, so that an upload need not wait for the stream's work before a download.
  struct Lane {
    std::mutex mutex;
    std::array<Chunk, 2> chunks;
    size_t next = 0;
  };
  absl::StatusOr<Chunk*> Take(Lane& lane, int64_t bytes);
  absl::Status Settle(Chunk& chunk);

  const std::shared_ptr<Context> context_;
  Lane up_, down_;
};

}  // namespace sinter::runtime::cuda
