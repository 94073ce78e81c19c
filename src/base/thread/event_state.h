// The producer's side of an Event.
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

// Makes an event happen, exactly once. Copies are the same promise; one that is dropped unset
// leaves its event pending.
class Promise {
 public:
  explicit Promise(std::shared_ptr<TaskQueue> queue = nullptr)
      : state_(std::make_shared<internal::EventState>(std::move(queue))) {}
  Event event() const { return Event(state_); }
  void Set(absl::Status status) const {
    // Who waits may drop this promise before the call has returned.
    std::shared_ptr<internal::EventState> state = state_;
    state->Set(std::move(status));
  }

 private:
  std::shared_ptr<internal::EventState> state_;
};

}  // namespace sinter
