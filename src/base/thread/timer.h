// Calls at a later time, on a thread that is started when first needed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace sinter {

class Timer {
 public:
  Timer() : state_(std::make_shared<State>()) {}
  ~Timer();  // what is still to be called is dropped
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Calls once, no sooner. Calls must be short and must not throw. False where the system refuses a
  // thread.
  bool After(std::chrono::nanoseconds delay, std::function<void()> call);

 private:
  using Clock = std::chrono::steady_clock;
  // Shared with the thread, whose call may drop the last reference to the timer.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::multimap<Clock::time_point, std::function<void()>> calls;
    bool stop = false;
  };
  static void Work(State& state);

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace sinter
