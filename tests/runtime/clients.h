// The clients that a device's conformance is tested on.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sinter/client.h"

namespace sinter::conformance {

// A host's executor with one thread, though it says more.
class OneThreadExecutor : public Executor {
 public:
  OneThreadExecutor() : thread_([this] { Loop(); }) {}
  ~OneThreadExecutor() override {
    Schedule(nullptr);
    thread_.join();
  }
  void Schedule(std::function<void()> task) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  int parallelism() const override { return 3; }

 private:
  void Loop() {
    while (true) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (task == nullptr) return;
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

struct Device {
  std::string name;
  std::function<absl::StatusOr<std::shared_ptr<Client>>()> make;
  bool asynchronous = true;            // ExecuteAsync may return before the results are there
  bool exact = true;                   // computes elementary functions as the host's processor does
  int64_t elements = 300007;           // that count as many: no multiple of any vector or block
  std::shared_ptr<Executor> executor;  // of the host, if it runs there
};

// Defined by who links the cases: the devices of one platform.
std::vector<Device> Devices();

}  // namespace sinter::conformance
