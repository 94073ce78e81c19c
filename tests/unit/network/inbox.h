// What a network hands on, for a test to look at.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "network/network.h"

namespace sinter::network {

class Inbox final : public Receiver {
 public:
  struct Item {
    int from;
    std::string header, body;
    absl::Status lost;
    bool closed = false;
  };
  void Received(int from, Message message) override {
    Add({from, message.header, std::string(message.body.data(), message.body.size()), {}});
  }
  void Lost(int process, const absl::Status& why, bool closed) override {
    Add({process, "", "", why, closed});
  }

  // The next, or one from -1 if none comes.
  Item Next() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(10), [&] { return next_ < items_.size(); }))
      return {-1, {}, {}, {}, false};
    return items_[next_++];
  }

 private:
  void Add(Item item) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> items_;
  size_t next_ = 0;
};

}  // namespace sinter::network
