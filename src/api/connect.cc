#include "api/connect.h"

#include <utility>

#include "base/status.h"
#include "network/mpi.h"
#include "network/tcp.h"

namespace sinter::api {
namespace {

constexpr int kMostProcesses = 1024;
constexpr double kLongestWait = 1e6;

absl::StatusOr<std::unique_ptr<network::Network>> ConnectByTcp(const DistributedOptions& o) {
  if (o.process_count < 1 || o.process_count > kMostProcesses || o.process_id < 0 ||
      o.process_id >= o.process_count) {
    return InvalidArgument("process {} of {}; expected 1 to {} processes, numbered from 0",
                           o.process_id, o.process_count, kMostProcesses);
  }
  network::TcpOptions tcp;
  tcp.process_id = o.process_id;
  tcp.process_count = o.process_count;
  tcp.addresses = o.addresses;
  tcp.put = o.put_key;
  tcp.get = o.get_key;
  tcp.connect_timeout = o.connect_timeout;
  return network::ConnectTcp(tcp);
}

absl::StatusOr<std::unique_ptr<network::Network>> ConnectByMpi(const DistributedOptions& o) {
  ASSIGN_OR_RETURN(auto network,
                   network::ConnectMpi({o.mpi_library, o.mpi_communicator, o.connect_timeout}));
  if ((o.process_id != 0 && o.process_id != network->process_id()) ||
      (o.process_count != 0 && o.process_count != network->process_count())) {
    return InvalidArgument("process {} of {}; MPI says {} of {}", o.process_id, o.process_count,
                           network->process_id(), network->process_count());
  }
  return network;
}

absl::StatusOr<std::shared_ptr<runtime::Processes>> Connect(const DistributedOptions& o,
                                                            int devices) {
  if (!(o.connect_timeout > 0) || o.connect_timeout > kLongestWait) {
    return InvalidArgument("connect_timeout: expected up to {} seconds, given {}", kLongestWait,
                           o.connect_timeout);
  }
  std::unique_ptr<network::Network> network;
  if (o.transport == DistributedOptions::Transport::kMpi) {
    ASSIGN_OR_RETURN(network, ConnectByMpi(o));
  } else {
    ASSIGN_OR_RETURN(network, ConnectByTcp(o));
  }
  if (network->process_count() == 1) return nullptr;
  return runtime::Processes::Make(std::move(network), devices, o.connect_timeout);
}

}  // namespace

absl::StatusOr<std::shared_ptr<runtime::Processes>> ConnectProcesses(
    const DistributedOptions& options, int devices) {
  if (options.transport == DistributedOptions::Transport::kNone) return nullptr;
  auto connected = Connect(options, devices);
  if (!connected.ok()) return Annotate(connected.status(), "distributed");
  return connected;
}

}  // namespace sinter::api
