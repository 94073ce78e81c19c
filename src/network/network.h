// Processes of one program that send each other messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace sinter::network {

// Memory of a message: aligned to 64 bytes, its contents anything at first.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(size_t size)
      : data_(static_cast<char*>(::operator new (size, std::align_val_t{64}))), size_(size) {}

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(char* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<char, Delete> data_;
  size_t size_ = 0;
};

struct Message {
  std::string header;
  Bytes body;
};

// Called by a thread of the network's, one call at a time a process; calls must be short, may send,
// and must not throw.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // In the order in which `from` has sent them.
  virtual void Received(int from, Message message) = 0;
  // Nothing comes from the process any more, and nothing reaches it. `closed`: it has said so
  // itself. Called once a process.
  virtual void Lost(int process, const absl::Status& why, bool closed) = 0;
};

// Thread-safe. Destroying it delivers first what has been sent, as far as others take it in a few
// seconds.
class Network {
 public:
  Network(int id, int count) : process_id_(id), process_count_(count) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int process_id() const { return process_id_; }
  int process_count() const { return process_count_; }

  // From now on messages are received. Once, before anything is sent; `receiver` outlives the
  // network.
  virtual absl::Status Start(Receiver* receiver) = 0;
  // Waits for nothing. Unavailable where the process is lost.
  virtual absl::Status Send(int to, Message message) = 0;
  // So many more wait for messages, or fewer: networks that must look for messages do so only while
  // somebody waits.
  virtual void AddWaiting(int change) = 0;

 private:
  const int process_id_, process_count_;
};

}  // namespace sinter::network
