// What an event and its promise share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "base/thread/task_queue.h"
#include "sinter/event.h"

namespace sinter {
namespace internal {

class EventState {
 public:
  // Threads that wait run tasks of `queue` meanwhile; it may be null.
  explicit EventState(std::shared_ptr<TaskQueue> queue) : queue_(std::move(queue)) {}

  const std::shared_ptr<TaskQueue>& queue() const { return queue_; }
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Valid once ready.
  const absl::Status& status() const { return status_; }
  void Set(absl::Status status);
  void Wait();
  void OnReady(std::function<void(const absl::Status&)> callback);

 private:
  std::shared_ptr<TaskQueue> queue_;
  std::atomic<bool> ready_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  absl::Status status_;
  std::vector<std::function<void(const absl::Status&)>> callbacks_;
};

}  // namespace internal
}  // namespace sinter
