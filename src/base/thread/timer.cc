#include "base/thread/timer.h"

#include <system_error>
#include <utility>

namespace sinter {

Timer::~Timer() {
  std::multimap<Clock::time_point, std::function<void()>> dropped;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
    dropped.swap(state_->calls);
  }
  state_->changed.notify_all();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

bool Timer::After(std::chrono::nanoseconds delay, std::function<void()> call) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([state = state_] { Work(*state); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  state_->calls.emplace(Clock::now() + delay, std::move(call));
  state_->changed.notify_all();
  return true;
}

void Timer::Work(State& state) {
  std::unique_lock<std::mutex> lock(state.mutex);
  while (!state.stop) {
    if (state.calls.empty()) {
      state.changed.wait(lock);
      continue;
    }
    auto first = state.calls.begin();
    if (const Clock::time_point due = first->first; due > Clock::now()) {
      state.changed.wait_until(lock, due);
      continue;
    }
    std::function<void()> call = std::move(first->second);
    state.calls.erase(first);
    lock.unlock();
    call();
    call = nullptr;
    lock.lock();
  }
}

}  // namespace sinter
