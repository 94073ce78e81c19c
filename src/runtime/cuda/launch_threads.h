// A thread for each device, for calls that wait for others. A launch of a graph with exchanges may
// wait for what is on the device, and that for an exchange whose other graphs are still to be
// launched, or for one that is to be given up. What is given to NCCL may wait for other processes,
// and these for exchanges of other devices.
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
  // Waits for what has been called, but for the call that it is made by.
  ~LaunchThreads();
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

  // Calls on that device's thread, which is started when first needed, behind what it has been
  // given before; where the system refuses a thread, at once. Thread-safe.
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
  std::mutex mutex_;
  std::vector<std::shared_ptr<Thread>> threads_;
};

}  // namespace sinter::runtime::cuda
