#include "runtime/cuda/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

class CudaMemoryPool final : public MemoryPool {
 public:
  CudaMemoryPool(std::shared_ptr<Context> context, PoolHandle pool, int64_t limit,
                 int64_t pool_limit)
      : context_(std::move(context)), pool_(pool) {
    stats_.limit = limit;
    stats_.pool_limit = pool_limit;
  }
  ~CudaMemoryPool() override {
    // Frees in the order of the stream have to happen before the pool goes.
    context_->Synchronize().IgnoreError();
    Context::Scope scope(*context_);
    context_->driver().MemPoolDestroy(pool_);
  }

  absl::StatusOr<Block> Allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > INT64_MAX / 2)
      return ResourceExhausted("allocation of {} bytes", bytes);
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    Block block;
    block.size = (bytes + kGranule - 1) / kGranule * kGranule;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++stats_.allocations;
      if (bytes == 0) return Block{};
      if (stats_.limit > 0 && stats_.in_use + block.size > stats_.limit) {
        return ResourceExhausted("allocation of {} bytes: {} in use, the client's limit is {}",
                                 bytes, stats_.in_use, stats_.limit);
      }
      stats_.in_use += block.size;
    }
    DevicePointer data = 0;
    absl::Status status =
        SINTER_CUDA_CHECK(*context_, MemAllocFromPoolAsync, &data, static_cast<size_t>(block.size),
                          pool_, context_->stream());
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status.ok()) {
      stats_.in_use -= block.size;
      if (absl::IsResourceExhausted(status)) return OutOfMemory(bytes, status);
      return status;
    }
    stats_.peak_in_use = std::max(stats_.peak_in_use, stats_.in_use);
    block.data = reinterpret_cast<void*>(data);
    return block;
  }

  void Free(Block block) override {
    if (block.data == nullptr) return;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stats_.in_use -= block.size;
    }
    Context::Scope scope(*context_);
    // An error is one of work before it, which others learn of.
    SINTER_CUDA_CHECK(*context_, MemFreeAsync, Address(block.data), context_->stream())
        .IgnoreError();
  }

  void Trim() override {
    // What has been freed in the order of the stream must have happened.
    if (!context_->Synchronize().ok()) return;
    Context::Scope scope(*context_);
    SINTER_CUDA_CHECK(*context_, MemPoolTrimTo, pool_, 0).IgnoreError();
  }

  MemoryStats stats() const override {
    uint64_t reserved = 0, used = 0;
    {
      Context::Scope scope(*context_);
      if (scope.status().ok()) {
        const Driver& d = context_->driver();
        bool known =
            d.MemPoolGetAttribute(pool_, PoolAttribute::kReservedCurrent, &reserved) ==
                Result::kSuccess &&
            d.MemPoolGetAttribute(pool_, PoolAttribute::kUsedCurrent, &used) == Result::kSuccess;
        if (!known) reserved = used = 0;
      }
    }
    std::lock_guard<std::mutex> lock(mutex_);
    MemoryStats stats = stats_;
    stats.pooled = static_cast<int64_t>(reserved - std::min(reserved, used));
    return stats;
  }

  void ResetPeak() override {
    std::lock_guard<std::mutex> lock(mutex_);
    stats_.peak_in_use = stats_.in_use;
  }

 private:
  static constexpr int64_t kGranule = 256;

  absl::Status OutOfMemory(int64_t bytes, const absl::Status& status) const {
    size_t free = 0, total = 0;
    std::string device;
    if (context_->driver().MemGetInfo(&free, &total) == Result::kSuccess) {
      device = Format("; the device has {} of {} free", free, total);
    }
    return ResourceExhausted("allocation of {} bytes: {} in use{}: {}", bytes, stats_.in_use,
                             device, MessageOf(status));
  }

  const std::shared_ptr<Context> context_;
  const PoolHandle pool_;
  mutable std::mutex mutex_;
  MemoryStats stats_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<MemoryPool>> MakeMemoryPool(std::shared_ptr<Context> context,
                                                           int64_t limit, int64_t pool_limit,
                                                           absl::Span<const DeviceId> peers) {
  Context::Scope scope(*context);
  RETURN_IF_ERROR(scope.status());
  PoolProperties properties;
  properties.location.id = context->device();
  PoolHandle pool = nullptr;
  RETURN_IF_CUDA_ERROR(*context, MemPoolCreate, &pool, &properties);
  auto made = std::make_shared<CudaMemoryPool>(context, pool, limit, pool_limit);
  auto threshold = static_cast<uint64_t>(pool_limit);
  RETURN_IF_CUDA_ERROR(*context, MemPoolSetAttribute, pool, PoolAttribute::kReleaseThreshold,
                       &threshold);
  std::vector<PoolAccess> accesses;
  for (DeviceId peer : peers) {
    int can = 0;
    if (peer == context->device()) continue;
    RETURN_IF_CUDA_ERROR(*context, DeviceCanAccessPeer, &can, peer, context->device());
    if (can == 0) continue;
    accesses.emplace_back();
    accesses.back().location.id = peer;
  }
  if (!accesses.empty()) {
    RETURN_IF_CUDA_ERROR(*context, MemPoolSetAccess, pool, accesses.data(), accesses.size());
  }
  return made;
}

absl::StatusOr<std::unique_ptr<PinnedBlock>> PinnedBlock::Make(std::shared_ptr<Context> context,
                                                               int64_t bytes) {
  void* data = nullptr;
  absl::Status status = SINTER_CUDA_CHECK(*context, MemHostAlloc, &data, static_cast<size_t>(bytes),
                                          kHostAllocPortable);
  if (!status.ok()) return Annotate(status, Format("{} bytes of pinned memory", bytes));
  return std::unique_ptr<PinnedBlock>(
      new PinnedBlock(std::move(context), static_cast<char*>(data)));
}

PinnedBlock::~PinnedBlock() {
  // Waits for the device by itself.
  Context::Scope scope(*context_);
  context_->driver().MemFreeHost(data_);
}

Staging::~Staging() {
  context_->Synchronize().IgnoreError();
  Context::Scope scope(*context_);
  for (Lane* lane : {&up_, &down_}) {
    for (Chunk& chunk : lane->chunks) {
      if (chunk.busy != nullptr) context_->ReturnEvent(chunk.busy);
    }
  }
}

// Waits until the device is done with a chunk and delivers what it brought.
absl::Status Staging::Settle(Chunk& chunk) {
  if (chunk.busy == nullptr) return absl::OkStatus();
  EventHandle event = std::exchange(chunk.busy, nullptr);
  char* destination = std::exchange(chunk.destination, nullptr);
  absl::Status status = destination == nullptr ? context_->Await(event) : context_->Wait(event);
  context_->ReturnEvent(event);
  if (status.ok() && destination != nullptr)
    std::memcpy(destination, chunk.block->data(), static_cast<size_t>(chunk.bytes));
  return status;
}

// The lane's next chunk, settled, for `bytes`.
absl::StatusOr<Staging::Chunk*> Staging::Take(Lane& lane, int64_t bytes) {
  Chunk& chunk = lane.chunks[lane.next];
  lane.next = (lane.next + 1) % lane.chunks.size();
  RETURN_IF_ERROR(Settle(chunk));
  if (chunk.block == nullptr) {
    ASSIGN_OR_RETURN(chunk.block, PinnedBlock::Make(context_, kChunk));
  }
  chunk.bytes = bytes;
  return &chunk;
}

absl::Status Staging::CopyFromHost(void* to, const void* from, int64_t bytes) {
  std::lock_guard<std::mutex> lock(up_.mutex);
  Context::Scope scope(*context_);
  RETURN_IF_ERROR(scope.status());
  for (int64_t at = 0; at < bytes; at += kChunk) {
    int64_t n = std::min(kChunk, bytes - at);
    ASSIGN_OR_RETURN(Chunk * chunk, Take(up_, n));
    std::memcpy(chunk->block->data(), static_cast<const char*>(from) + at, static_cast<size_t>(n));
    RETURN_IF_CUDA_ERROR(*context_, MemcpyHtoDAsync, Address(to) + static_cast<uint64_t>(at),
                         chunk->block->data(), static_cast<size_t>(n), context_->stream());
    absl::StatusOr<EventHandle> event = context_->Record();
    if (!event.ok()) {
      // The device may still read the chunk, for an unknown time.
      context_->driver().StreamSynchronize(context_->stream());
      return event.status();
    }
    chunk->busy = *event;
  }
  return absl::OkStatus();
}

absl::Status Staging::CopyToHost(void* to, const void* from, int64_t bytes) {
  std::lock_guard<std::mutex> lock(down_.mutex);
  Context::Scope scope(*context_);
  RETURN_IF_ERROR(scope.status());
  auto submit = [&](int64_t at) -> absl::Status {
    int64_t n = std::min(kChunk, bytes - at);
    ASSIGN_OR_RETURN(Chunk * chunk, Take(down_, n));
    RETURN_IF_CUDA_ERROR(*context_, MemcpyDtoHAsync, chunk->block->data(),
                         Address(from) + static_cast<uint64_t>(at), static_cast<size_t>(n),
                         context_->stream());
    absl::StatusOr<EventHandle> event = context_->Record();
    if (!event.ok()) {
      context_->driver().StreamSynchronize(context_->stream());
      return event.status();
    }
    chunk->busy = *event;
    chunk->destination = static_cast<char*>(to) + at;
    return absl::OkStatus();
  };
  absl::Status status;
  for (int64_t at = 0; at < bytes && status.ok(); at += kChunk) status = submit(at);
  // Also on an error: `to` is the caller's own again afterwards. The older chunk first.
  for (size_t i = 0; i < down_.chunks.size(); ++i) {
    absl::Status settled = Settle(down_.chunks[(down_.next + i) % down_.chunks.size()]);
    if (status.ok()) status = settled;
  }
  return status;
}

}  // namespace sinter::runtime::cuda
