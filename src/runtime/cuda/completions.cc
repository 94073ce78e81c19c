#include "runtime/cuda/completions.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/thread/event_state.h"

namespace sinter::runtime::cuda {

// Shared with the thread, because a callback on it may drop the last reference to the client and so
// destroy the Completions.
struct Completions::State {
  struct Pending {
    EventHandle event;
    Promise promise;
  };

  std::shared_ptr<Context> context;
  std::shared_ptr<TaskQueue> queue;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Pending> pending;  // in the order of the stream
  bool stop = false;
  std::thread thread;

  void Finish(const Pending& p) {
    absl::Status status;
    {
      Context::Scope scope(*context);
      status = scope.status();
      if (status.ok()) status = context->Wait(p.event);
      context->ReturnEvent(p.event);
    }
    p.promise.Set(std::move(status));
  }
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return stop || !pending.empty(); });
      if (pending.empty()) return;
      Pending next = std::move(pending.front());
      pending.pop_front();
      lock.unlock();
      Finish(next);
      lock.lock();
    }
  }
};

Completions::Completions(std::shared_ptr<Context> context, std::shared_ptr<TaskQueue> queue)
    : state_(std::make_shared<State>()) {
  state_->context = std::move(context);
  state_->queue = std::move(queue);
}

Completions::~Completions() {
  std::thread thread;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
    thread = std::move(state_->thread);
  }
  state_->changed.notify_all();
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

Event Completions::Next(uint64_t disturbances) {
  State::Pending p{nullptr, Promise(state_->queue)};
  {
    Context::Scope scope(*state_->context);
    if (!scope.status().ok()) return Event(scope.status());
    absl::StatusOr<EventHandle> event =
        state_->context->Record(state_->context->stream(), disturbances);
    if (!event.ok()) return Event(event.status());
    p.event = *event;
  }
  Event result = p.promise.event();
  {
    std::unique_lock<std::mutex> lock(state_->mutex);
    try {
      if (!state_->thread.joinable())
        state_->thread = std::thread([state = state_] { state->Loop(); });
    } catch (const std::system_error&) {
      // Without a thread the caller waits.
      lock.unlock();
      state_->Finish(p);
      return result;
    }
    state_->pending.push_back(std::move(p));
  }
  state_->changed.notify_one();
  return result;
}

}  // namespace sinter::runtime::cuda
