// Clients of several processes, whose devices are one row: programs of several participants run on
// devices of all of them.
//
//   sinter::CpuOptions options;
//   options.devices = 2;  // of this process
//   options.distributed.transport = sinter::DistributedOptions::Transport::kTcp;
//   options.distributed.process_id = id;
//   options.distributed.process_count = 3;
//   options.distributed.addresses = {"node0:4000", "node1:4000", "node2:4000"};
//   options.collective_timeout = 60;
//   auto client = sinter::Client::Cpu(options);  // returns when all three have come here
//   client->device_count();                      // 6
//   client->local_devices();                     // of process 1: {2, 3}
//
// Every process makes its client, compiles the same programs, and runs them in the same order on
// the same devices, each with the arguments of its own participants.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter {

struct DistributedOptions {
  enum class Transport {
    kNone,  // a client of one process
    // Connections of TCP between any two processes. Whoever reaches the ports could pretend to be
    // one of the processes: networks are to be trusted.
    kTcp,
    // MPI, whose library is found at run time. What MPI calls a fault of one process usually ends
    // all, whatever this library does.
    kMpi
  };
  Transport transport = Transport::kNone;

  // Processes are numbered from 0. MPI knows both: its ranks are the numbers, and what is given
  // here must be that or 0.
  int process_id = 0;
  int process_count = 0;
  // Seconds for all processes to come.
  double connect_timeout = 60;

  // TCP: where each process listens, "host:port". Empty: where it likes, and they find each other
  // by a store of keys and values that all of them see; `get_key` waits until the key is there.
  std::vector<std::string> addresses;
  std::function<absl::Status(std::string_view key, std::string_view value)> put_key;
  std::function<absl::StatusOr<std::string>(std::string_view key, double seconds)> get_key;

  // MPI: the library; "": the one that the process has loaded already, else the system's.
  std::string mpi_library;
  // An MPI_Comm of the host's, as a pointer to it; null: MPI_COMM_WORLD.
  const void* mpi_communicator = nullptr;
};

}  // namespace sinter
