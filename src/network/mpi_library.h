// MPI's functions, found at run time in whatever library there is. Implementations differ in their
// binary interface; this knows that of Open MPI and that of MPICH and its descendants (Intel MPI,
// MVAPICH, Cray MPICH: the "MPICH ABI compatibility initiative").
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace sinter::network {

struct MpiLibrary {
  // Open MPI's handles are pointers, MPICH's are integers of 4 bytes: both travel in a register,
  // and are written to the first bytes of a word that was zero.
  using Handle = uintptr_t;
  // Large enough for both, which is all that one may know of it.
  struct alignas(8) Status {
    int words[16] = {};
  };

  std::string name;
  // Constants.
  Handle world = 0, byte = 0, errors_return = 0;
  static constexpr int kThreadMultiple = 3;
  static constexpr int kMostErrorText = 512;

  int (*initialized)(int* flag) = nullptr;
  int (*finalized)(int* flag) = nullptr;
  int (*init_thread)(int* argc, char*** argv, int required, int* provided) = nullptr;
  int (*query_thread)(int* provided) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(Handle comm, int* rank) = nullptr;
  int (*comm_size)(Handle comm, int* size) = nullptr;
  int (*comm_idup)(Handle comm, Handle* copy, Handle* request) = nullptr;
  int (*comm_free)(Handle* comm) = nullptr;
  int (*comm_set_errhandler)(Handle comm, Handle handler) = nullptr;
  int (*isend)(const void* data, int count, Handle type, int to, int tag, Handle comm,
               Handle* request) = nullptr;
  int (*improbe)(int from, int tag, Handle comm, int* flag, Handle* message,
                 Status* status) = nullptr;
  int (*imrecv)(void* data, int count, Handle type, Handle* message, Handle* request) = nullptr;
  int (*get_count)(const Status* status, Handle type, int* count) = nullptr;
  int (*test)(Handle* request, int* flag, Status* status) = nullptr;
  int (*ibarrier)(Handle comm, Handle* request) = nullptr;
  int (*error_string)(int code, char* text, int* size) = nullptr;

  // Of a communicator of the host's.
  Handle CommunicatorAt(const void* communicator) const;
  std::string ErrorText(int code) const;

  bool handles_are_pointers = false;
};

// The library at `path`; "": that which the process has loaded, else the system's, of that
// implementation whose launcher has started the process. It stays loaded. Unavailable where there
// is none, or one that is not known.
absl::StatusOr<std::shared_ptr<const MpiLibrary>> FindMpi(const std::string& path);

}  // namespace sinter::network
