#include "runtime/storage.h"

#include "base/status.h"

namespace sinter::runtime {

absl::StatusOr<StorageRef> Storage::Allocate(const std::shared_ptr<MemoryPool>& pool,
                                             int64_t bytes) {
  StorageRef storage = Deferred(pool, bytes);
  RETURN_IF_ERROR(storage->Materialize());
  return storage;
}

StorageRef Storage::Deferred(const std::shared_ptr<MemoryPool>& pool, int64_t bytes) {
  auto* s = new Storage;
  s->size_ = bytes;
  s->pool_ = pool;
  return StorageRef(s);
}

absl::Status Storage::Materialize() {
  if (pool_ == nullptr || is_there_) return absl::OkStatus();
  ASSIGN_OR_RETURN(block_, pool_->Allocate(size_));
  data_ = block_.data;
  is_there_ = true;
  return absl::OkStatus();
}

StorageRef Storage::External(void* data, int64_t size, bool writable,
                             std::function<void()> on_done) {
  auto* s = new Storage;
  s->data_ = data;
  s->size_ = size;
  s->writable_ = writable;
  s->on_done_ = std::move(on_done);
  return StorageRef(s);
}

void Storage::Drop(uint64_t references) {
  if (references_.fetch_sub(references, std::memory_order_acq_rel) != references) return;
  if (is_there_) pool_->Free(block_);
  std::function<void()> on_done = std::move(on_done_);
  delete this;
  if (on_done) on_done();
}

}  // namespace sinter::runtime
