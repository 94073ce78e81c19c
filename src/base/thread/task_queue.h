// The queue of a client's asynchronous work, in order of submission. Whoever has a thread to spare
// drains it: the client's own thread, tasks of a host's executor, or threads that wait for an
// event.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace sinter {

class TaskQueue {
 public:
  // Tasks must not throw and must not block on other tasks.
  void Push(std::function<void()> task);
  // Runs the oldest task, if there is one.
  bool RunOne();
  // Runs tasks until `done` holds, sleeping while there is none. Who makes `done` true calls Poke
  // afterwards.
  void RunUntil(const std::function<bool()>& done);
  void Poke();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace sinter
