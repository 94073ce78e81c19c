// Processes that are connected by TCP, each with each other one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "network/network.h"

namespace sinter::network {

struct TcpOptions {
  int process_id = 0, process_count = 1;
  // Where each process listens: "host:port", an address of IPv6 in brackets. Empty: each listens
  // where it likes, and says so by `put`.
  std::vector<std::string> addresses;
  // A store that all processes see. `get` waits for a key.
  std::function<absl::Status(std::string_view key, std::string_view value)> put;
  std::function<absl::StatusOr<std::string>(std::string_view key, double seconds)> get;
  // Seconds for all to be connected.
  double connect_timeout = 60;
};

// Waits for all processes. InvalidArgument for options that contradict themselves or addresses that
// are none; Unavailable, which names the processes that are missing.
absl::StatusOr<std::unique_ptr<Network>> ConnectTcp(const TcpOptions& options);

}  // namespace sinter::network
