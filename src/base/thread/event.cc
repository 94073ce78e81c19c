#include <utility>

#include "base/thread/event_state.h"

namespace sinter {
namespace internal {

void EventState::Set(absl::Status status) {
  std::vector<std::function<void(const absl::Status&)>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    ready_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
    changed_.notify_all();
  }
  for (auto& callback : callbacks) callback(status_);
}

void EventState::Wait() {
  if (ready()) return;
  if (queue_ != nullptr) {
    OnReady([queue = queue_](const absl::Status&) { queue->Poke(); });
    queue_->RunUntil([this] { return ready(); });
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return ready(); });
}

void EventState::OnReady(std::function<void(const absl::Status&)> callback) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!ready()) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(status_);
}

}  // namespace internal

Event::Event(absl::Status status) {
  if (status.ok()) return;
  state_ = std::make_shared<internal::EventState>(nullptr);
  state_->Set(std::move(status));
}

bool Event::IsReady() const { return state_ == nullptr || state_->ready(); }

absl::Status Event::Wait() const {
  if (state_ == nullptr) return absl::OkStatus();
  state_->Wait();
  return state_->status();
}

void Event::OnReady(std::function<void(const absl::Status&)> callback) const {
  if (state_ == nullptr) return callback(absl::OkStatus());
  state_->OnReady(std::move(callback));
}

Event Event::All(std::vector<Event> events) {
  std::shared_ptr<TaskQueue> queue;
  std::erase_if(events, [](const Event& e) { return e.state_ == nullptr; });
  if (events.empty()) return Event();
  if (events.size() == 1) return std::move(events[0]);
  for (const Event& e : events) {
    if (queue == nullptr) queue = e.state_->queue();
  }
  struct Joined {
    explicit Joined(std::shared_ptr<TaskQueue> q) : promise(std::move(q)) {}
    std::vector<Event> events;
    std::atomic<size_t> pending{0};
    Promise promise;
  };
  auto joined = std::make_shared<Joined>(std::move(queue));
  joined->events = events;
  joined->pending = events.size();
  Event result = joined->promise.event();
  // Of its own, as the last to become ready lets go of the joined ones.
  for (const Event& event : events) {
    event.OnReady([joined](const absl::Status&) {
      if (joined->pending.fetch_sub(1) != 1) return;
      absl::Status first;
      for (const Event& e : joined->events) first.Update(e.state_->status());
      joined->events.clear();
      joined->promise.Set(std::move(first));
    });
  }
  return result;
}

Promise::Promise() : Promise(nullptr) {}
Promise::Promise(std::shared_ptr<TaskQueue> queue)
    : state_(std::make_shared<internal::EventState>(std::move(queue))) {}

void Promise::Set(absl::Status status) const {
  // Who waits may drop this promise before the call has returned.
  std::shared_ptr<internal::EventState> state = state_;
  state->Set(std::move(status));
}

}  // namespace sinter
