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
  // Memory of the pool that a run will take when it begins (Materialize), so that runs that wait in
  // a queue hold none.
  static StorageRef Deferred(const std::shared_ptr<MemoryPool>& pool, int64_t bytes);
  // `on_done` is called when the last reference is released. Only `writable` memory may become a
  // result's.
  static StorageRef External(void* data, int64_t size, bool writable,
                             std::function<void()> on_done);

  // Takes what is deferred. Its user is the one run that writes it: others look at `data`
  // afterwards.
  absl::Status Materialize();

  void* data() const { return data_; }
  int64_t size() const { return size_; }
  bool writable() const { return writable_; }
  // Whether `data` is a multiple of this, also where it is still deferred.
  bool IsAligned(int64_t alignment) const {
    return pool_ != nullptr ||
           reinterpret_cast<uintptr_t>(data_) % static_cast<uintptr_t>(alignment) == 0;
  }

  // A run that is still to write these bytes holds one reference that does not stand in the way of
  // later runs, which start after it: it is marked here, and released by StorageRef::DropAwaited.
  void MarkAwaited() { references_.fetch_add(kAwaited, std::memory_order_acq_rel); }
  // Whether more than `holds` references are held by others than such runs.
  bool IsSharedBeyond(int holds) const {
    uint64_t references = references_.load(std::memory_order_acquire);
    return static_cast<int64_t>(references % kAwaited) -
               static_cast<int64_t>(references / kAwaited) >
           holds;
  }

 private:
  friend class StorageRef;
  Storage() = default;
  ~Storage() = default;
  void Drop(uint64_t references = 1);

  // All references, and in the upper half those that are awaited: one word, so that whoever counts
  // never sees a run that has released one and not the other.
  static constexpr uint64_t kAwaited = uint64_t{1} << 32;
  std::atomic<uint64_t> references_{1};
  bool writable_ = true;
  void* data_ = nullptr;
  int64_t size_ = 0;
  std::shared_ptr<MemoryPool> pool_;  // null: external
  Block block_;
  bool is_there_ = false;  // the block
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
  // Releases a reference that is marked as awaited.
  void DropAwaited() {
    if (Storage* s = std::exchange(storage_, nullptr)) s->Drop(Storage::kAwaited + 1);
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
