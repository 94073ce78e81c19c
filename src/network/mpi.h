// Processes of an MPI program.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "network/mpi_library.h"
#include "network/network.h"

namespace sinter::network {

struct MpiOptions {
  std::string library;                 // as FindMpi
  const void* communicator = nullptr;  // an MPI_Comm, by its address; null: MPI_COMM_WORLD
  // Seconds for all processes to come.
  double connect_timeout = 60;
};

// Waits for all processes of the communicator, which is copied. MPI that the host has initialized
// is used as it is, and must be of MPI_THREAD_MULTIPLE (FailedPrecondition). Else this initializes
// it, and it is finalized when the process ends, unless others do not come to that in time.
// Unavailable without MPI, or where others do not come.
//
// Errors of MPI are returned, but what MPI calls fatal is not ours: Open MPI's launcher ends all
// processes when one dies, unless it is told not to (mpirun --enable-recovery), and then nobody is
// told that it has died.
absl::StatusOr<std::unique_ptr<Network>> ConnectMpi(const MpiOptions& options);
// By a library that has been found; that of the options is not looked at.
absl::StatusOr<std::unique_ptr<Network>> ConnectMpi(const MpiOptions& options,
                                                    std::shared_ptr<const MpiLibrary> mpi);

}  // namespace sinter::network
