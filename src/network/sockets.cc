#include "network/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/status.h"

namespace sinter::network {
namespace {

struct AddressList {
  addrinfo* first = nullptr;
  ~AddressList() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

absl::Status Resolve(std::string_view address, bool to_listen, AddressList& list) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == address.size())
    return InvalidArgument("'{}' is no address; expected host:port", address);
  std::string host(address.substr(0, colon)), port(address.substr(colon + 1));
  if (host.size() > 1 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = to_listen ? AI_PASSIVE : 0;
  const int error =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &list.first);
  if (error != 0) return Unavailable("{}: {}", address, gai_strerror(error));
  return absl::OkStatus();
}

// Whether the socket can be read (or written) before the deadline.
bool Await(const Socket& socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) return false;
    pollfd p{socket.fd(), events, 0};
    const int n = poll(&p, 1, static_cast<int>(std::min<int64_t>(left, 1 << 30)));
    if (n > 0) return true;
    if (n == 0 && left == 0) return false;
    if (n < 0 && errno != EINTR) return false;
  }
}

void SetUp(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

absl::StatusOr<Socket> ListenOn(int family, const sockaddr* address, socklen_t size,
                                std::string_view name) {
  Socket s(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (s.is_open()) setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!s.is_open() || bind(s.fd(), address, size) != 0 || listen(s.fd(), SOMAXCONN) != 0)
    return Unavailable("cannot listen on {}: {}", name, LastError());
  return s;
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

std::string LastError() { return std::generic_category().message(errno); }

absl::StatusOr<Socket> Listen(std::string_view address) {
  if (address.empty()) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    return ListenOn(AF_INET, reinterpret_cast<const sockaddr*>(&any), sizeof any, "any port");
  }
  AddressList list;
  RETURN_IF_ERROR(Resolve(address, true, list));
  absl::Status last = Unavailable("{}: no address", address);
  for (const addrinfo* a = list.first; a != nullptr; a = a->ai_next) {
    auto s = ListenOn(a->ai_family, a->ai_addr, a->ai_addrlen, address);
    if (s.ok()) return s;
    last = s.status();
  }
  return last;
}

absl::StatusOr<std::vector<std::string>> AddressesOf(const Socket& listening) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    return Unavailable("the address of a socket: {}", LastError());
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return Unavailable("the interfaces of this machine: {}", LastError());
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  std::vector<std::string> far, near;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_UP) == 0)
      continue;
    sockaddr_in address{};
    std::memcpy(&address, i->ifa_addr, sizeof address);
    char text[INET_ADDRSTRLEN];
    if (inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) == nullptr) continue;
    auto& list = (i->ifa_flags & IFF_LOOPBACK) != 0 ? near : far;
    list.push_back(Format("{}:{}", text, ntohs(own.sin_port)));
  }
  far.insert(far.end(), near.begin(), near.end());
  return far;
}

absl::StatusOr<Socket> Connect(std::string_view address, Clock::time_point deadline) {
  AddressList list;
  RETURN_IF_ERROR(Resolve(address, false, list));
  absl::Status last = Unavailable("{}: no address", address);
  for (const addrinfo* a = list.first; a != nullptr; a = a->ai_next) {
    Socket s(socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    int error = 0;
    if (!s.is_open()) {
      error = errno;
    } else if (connect(s.fd(), a->ai_addr, a->ai_addrlen) != 0) {
      error = errno;
      socklen_t size = sizeof error;
      if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        if (Await(s, POLLOUT, deadline)) getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
      }
    }
    if (error == 0) {
      SetUp(s);
      return s;
    }
    last = Unavailable("{}: {}", address, std::generic_category().message(error));
  }
  return last;
}

absl::StatusOr<Socket> Accept(const Socket& listening, Clock::time_point deadline) {
  while (Await(listening, POLLIN, deadline)) {
    Socket s(accept4(listening.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (s.is_open()) {
      SetUp(s);
      return s;
    }
    if (errno != EINTR && errno != EAGAIN && errno != ECONNABORTED) break;
  }
  return Unavailable("nobody has come");
}

absl::Status WriteAll(const Socket& socket, const void* data, size_t size,
                      Clock::time_point deadline) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = send(socket.fd(), at, size, MSG_NOSIGNAL);
    if (n > 0) {
      at += n;
      size -= static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      if (!Await(socket, POLLOUT, deadline)) return Unavailable("nobody reads");
    } else if (errno != EINTR) {
      return Unavailable("cannot write: {}", LastError());
    }
  }
  return absl::OkStatus();
}

absl::Status ReadAll(const Socket& socket, void* data, size_t size, Clock::time_point deadline) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = recv(socket.fd(), at, size, 0);
    if (n > 0) {
      at += n;
      size -= static_cast<size_t>(n);
    } else if (n == 0) {
      return Unavailable("the connection has been closed");
    } else if (errno == EAGAIN) {
      if (!Await(socket, POLLIN, deadline)) return Unavailable("nobody answers");
    } else if (errno != EINTR) {
      return Unavailable("cannot read: {}", LastError());
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::network
