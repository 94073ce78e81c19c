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
  CpuOptions options;
  bool asynchronous = true;  // ExecuteAsync may return before the results are there
};

inline std::vector<Device> Devices() {
  std::vector<Device> out(4);
  out[0].name = "cpu, two threads";
  out[0].options.threads = 2;
  out[1].name = "cpu, one thread";
  out[1].options.threads = 1;
  out[2].name = "cpu, inline";
  out[2].options.inline_execution = true;
  out[2].asynchronous = false;
  out[3].name = "cpu, the host's one thread";
  out[3].options.executor = std::make_shared<OneThreadExecutor>();
  return out;
}

}  // namespace sinter::conformance
