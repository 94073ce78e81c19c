#include "base/thread/task_queue.h"

#include <utility>

namespace sinter {

void TaskQueue::Push(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

bool TaskQueue::RunOne() {
  std::function<void()> task;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  return true;
}

void TaskQueue::RunUntil(const std::function<bool()>& done) {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return done() || !tasks_.empty(); });
      if (done()) {
        // The notification for a task may have come here instead of to a thread that would run it.
        if (!tasks_.empty()) changed_.notify_one();
        return;
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void TaskQueue::Poke() {
  // The empty critical section orders this after a waiter's test of `done`.
  { std::lock_guard<std::mutex> lock(mutex_); }
  changed_.notify_all();
}

}  // namespace sinter
