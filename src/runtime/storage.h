// The bytes of a buffer, counted by reference: a block of the client's pool, or memory of the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/memory_pool.h"

namespace sinter::runtime {

class StorageRef;

class Storage {
 public:
  static absl::StatusOr<StorageRef> Allocate(const std::shared_ptr<MemoryPool>& pool,
                                             int64_t bytes);
  // `on_done` is called when the last reference goes. Only `writable` memory may become a result's.
  static StorageRef External(void* data, int64_t size, bool writable,
                             std::function<void()> on_done);

  void* data() const { return data_; }
  int64_t size() const { return size_; }
  bool writable() const { return writable_; }

  // A run that is still to write these bytes holds one reference that does not stand in the way of
  // later runs, which start after it. It counts itself here, and out again before it drops the
  // reference: then who reads the references first and this second never takes a reader for such a
  // run.
  void AddAwaited(int n) { awaited_.fetch_add(n, std::memory_order_acq_rel); }
  bool IsSharedBeyond(int holds) const {
    int references = references_.load(std::memory_order_acquire);
    return references - awaited_.load(std::memory_order_acquire) > holds;
  }

 private:
  friend class StorageRef;
  Storage() = default;
  ~Storage() = default;
  void Drop();

  std::atomic<int> references_{1};
  std::atomic<int> awaited_{0};
  bool writable_ = true;
  void* data_ = nullptr;
  int64_t size_ = 0;
  std::shared_ptr<MemoryPool> pool_;  // null: external
  Block block_;
  std::function<void()> on_done_;
};

class StorageRef {
 public:
  StorageRef() = default;
  StorageRef(const StorageRef& o) : storage_(o.storage_) {
    if (storage_ != nullptr) storage_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  StorageRef(StorageRef&& o) noexcept : storage_(std::exchange(o.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef o) noexcept {
    std::swap(storage_, o.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr) storage_->Drop();
  }
  Storage* operator->() const { return storage_; }
  Storage* get() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  friend class Storage;
  explicit StorageRef(Storage* adopted) : storage_(adopted) {}
  Storage* storage_ = nullptr;
};

}  // namespace sinter::runtime
