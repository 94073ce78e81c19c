#include "runtime/storage.h"

#include "base/status.h"

namespace sinter::runtime {

absl::StatusOr<StorageRef> Storage::Allocate(const std::shared_ptr<MemoryPool>& pool,
                                             int64_t bytes) {
  ASSIGN_OR_RETURN(Block block, pool->Allocate(bytes));
  auto* s = new Storage;
  s->data_ = block.data;
  s->size_ = bytes;
  s->pool_ = pool;
  s->block_ = block;
  return StorageRef(s);
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
  if (pool_ != nullptr) pool_->Free(block_);
  std::function<void()> on_done = std::move(on_done_);
  delete this;
  if (on_done) on_done();
}

}  // namespace sinter::runtime
