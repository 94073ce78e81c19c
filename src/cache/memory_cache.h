// A bounded cache in memory of values that are expensive to make; evicts the least recently used
// one first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/hash.h"
#include "base/status.h"
#include "sinter/stats.h"

namespace sinter::cache {

// Safe from several threads. Values stay alive for their users after they have left the cache.
template <class V>
class MemoryCache {
 public:
  using Value = std::shared_ptr<V>;

  // Caches at most `capacity` values; with 0 none, but concurrent requests for one key still share
  // one call of `make`.
  explicit MemoryCache(int64_t capacity) { stats_.capacity = capacity < 0 ? 0 : capacity; }

  // The value of `key`, made by `make` (StatusOr<Value>()) where there is none. Requests for a key
  // that is being made wait for it and share its value or its error; an error is not cached.
  // Internal if `make` asks for its own key.
  template <class Make>
  absl::StatusOr<Value> Get(const Hash128& key, const Make& make) {
    std::shared_ptr<Making> making;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      auto found = entries_.find(key);
      if (found != entries_.end()) {
        ++stats_.hits;
        if (found->second.making == nullptr) {
          order_.splice(order_.begin(), order_, found->second.place);
          return found->second.value;
        }
        making = found->second.making;
        RETURN_INTERNAL_IF(making->thread == std::this_thread::get_id(),
                           "the compilation of {} asked for itself", key.ToString());
        done_.wait(lock, [&] { return making->result.has_value(); });
        return *making->result;
      }
      ++stats_.misses;
      making = std::make_shared<Making>();
      making->thread = std::this_thread::get_id();
      entries_[key].making = making;
    }
    auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<Value> result = Guarded(make);
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    Finish(key, *making, result, spent.count());
    return result;
  }

  // The value of `key` or null.
  Value Find(const Hash128& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = entries_.find(key);
    if (found == entries_.end() || found->second.making != nullptr) return nullptr;
    ++stats_.hits;
    order_.splice(order_.begin(), order_, found->second.place);
    return found->second.value;
  }

  // Removes all values; a value that is being made is cached when it is done.
  void Clear() {
    std::list<Hash128> order;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Hash128& key : order_) entries_.erase(key);
    order_.swap(order);
    stats_.entries = 0;
  }

  CacheStats stats() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }

 private:
  struct Making {
    std::thread::id thread;
    std::optional<absl::StatusOr<Value>> result;
  };
  struct Entry {
    Value value;
    std::shared_ptr<Making> making;  // null: the value has been made
    std::list<Hash128>::iterator place;
  };

  template <class Make>
  static absl::StatusOr<Value> Guarded(const Make& make) {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("compilation: the system has no memory");
    } catch (const std::exception& e) {
      return Internal("compilation: {}", e.what());
    }
  }

  void Finish(const Hash128& key, Making& making, const absl::StatusOr<Value>& result,
              double milliseconds) {
    Value dropped;  // after the lock
    std::lock_guard<std::mutex> lock(mutex_);
    stats_.compile_milliseconds += milliseconds;
    making.result = result;
    done_.notify_all();
    if (!result.ok() || stats_.capacity == 0) {
      if (!result.ok()) ++stats_.failures;
      entries_.erase(key);
      return;
    }
    if (static_cast<int64_t>(order_.size()) == stats_.capacity) {
      auto last = entries_.find(order_.back());
      dropped = std::move(last->second.value);
      entries_.erase(last);
      order_.pop_back();
      ++stats_.evictions;
    }
    order_.push_front(key);
    Entry& entry = entries_[key];
    entry.value = *result;
    entry.making = nullptr;
    entry.place = order_.begin();
    stats_.entries = static_cast<int64_t>(order_.size());
  }

  mutable std::mutex mutex_;
  std::condition_variable done_;
  absl::flat_hash_map<Hash128, Entry> entries_;
  std::list<Hash128> order_;  // of those that are there; the most recently used first
  CacheStats stats_;
};

}  // namespace sinter::cache
