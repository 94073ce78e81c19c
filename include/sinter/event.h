// Events: the completion of something asynchronous, with its status.
//
//   sinter::Event copied = buffer.CopyToHostAsync(bytes);
//   copied.OnReady([](const absl::Status& s) { ... });
//   absl::Status s = copied.Wait();
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "sinter/export.h"

namespace sinter {

class TaskQueue;
namespace internal {
class EventState;
}

// A handle; copies are the same event. Safe to use from several threads.
class SINTER_API Event {
 public:
  // An event that has happened, with an OK status.
  Event() = default;
  // One that has happened with the given status.
  explicit Event(absl::Status status);

  bool IsReady() const;
  // Blocks until it has happened and returns its status. While it waits, the thread runs work that
  // its client has queued, so that waiting inside the host's only thread makes progress.
  absl::Status Wait() const;
  // Calls `callback` once it has happened: at once if it has, else on the thread that completes it.
  // Callbacks should be short; they may call the library.
  void OnReady(std::function<void(const absl::Status&)> callback) const;

  // Ready when all are; the status is the first error in their order.
  static Event All(std::vector<Event> events);

  explicit Event(std::shared_ptr<internal::EventState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<internal::EventState> state_;  // null: ready and OK
};

// Makes an event happen. Copies are the same promise; one that is dropped unset leaves its event
// pending.
class SINTER_API Promise {
 public:
  Promise();
  Event event() const { return Event(state_); }
  // Exactly once.
  void Set(absl::Status status) const;

  // --- for the library
  // Threads that wait for the event run tasks of `queue` meanwhile; it may be null.
  explicit Promise(std::shared_ptr<TaskQueue> queue);

 private:
  std::shared_ptr<internal::EventState> state_;
};

}  // namespace sinter
