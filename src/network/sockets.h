// Sockets, as far as networks of processes need them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter::network {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

std::string LastError();  // of the system, in words

// "host:port" of a socket that listens there. "": on any port of all interfaces.
absl::StatusOr<Socket> Listen(std::string_view address);
// The addresses by which others may reach a socket that listens on all interfaces, those of this
// machine alone last.
absl::StatusOr<std::vector<std::string>> AddressesOf(const Socket& listening);
// Unavailable where nobody listens, at most until `deadline`.
absl::StatusOr<Socket> Connect(std::string_view address, Clock::time_point deadline);
// Unavailable where nobody has come.
absl::StatusOr<Socket> Accept(const Socket& listening, Clock::time_point deadline);
// All of the bytes, or Unavailable.
absl::Status WriteAll(const Socket& socket, const void* data, size_t size,
                      Clock::time_point deadline);
absl::Status ReadAll(const Socket& socket, void* data, size_t size, Clock::time_point deadline);

}  // namespace sinter::network
