// A thread for each device, which launches graphs with exchanges there: a launch may wait for what
// is on the device, and that for an exchange whose other graphs are still to be launched, or for
// one that is to be given up.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sinter::runtime::cuda {

class LaunchThreads {
 public:
  LaunchThreads() = default;
  // Waits for what has been called.
  ~LaunchThreads();
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

  // Calls on that device's thread, which is started when first needed, behind what it has been
  // given before; where the system refuses a thread, at once. From one thread at a time.
  void Call(size_t device, std::function<void()> call);

 private:
  struct Thread {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> calls;
    bool stop = false;
    std::thread thread;
    void Work();
  };
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace sinter::runtime::cuda
