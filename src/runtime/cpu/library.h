// The host's library of kernels that are not compiled: found by name, called by a step of a
// program.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/thread/fp_environment.h"
#include "base/thread/workers.h"
#include "base/vector_targets.h"
#include "program/program.h"

namespace sinter::runtime::cpu {

struct LibraryArguments {
  void* const* buffers;  // in the order of program::LibraryCall::buffers
  const int64_t* dims;
  program::StageFunction stage;  // that the kernel calls, or null
  Workers& workers;
  FpMode mode;  // for other threads than the caller's
  VectorTarget target;
  const void* prepared = nullptr;  // what LibraryKernel::prepare has made
};
using LibraryFunction = void (*)(const LibraryArguments&);

// The facts of a call that are checked before it is run.
struct LibrarySignature {
  absl::Span<const int64_t> sizes;  // of the buffers, in bytes
  absl::Span<const int64_t> dims;
  bool has_stage = false;
};

struct LibraryKernel {
  std::string_view name;
  LibraryFunction run;
  // Internal unless the kernel, called so, stays within its buffers.
  absl::Status (*check)(const LibrarySignature&);
  // What calls with these integers share, made once for a program; null where they share nothing.
  std::shared_ptr<const void> (*prepare)(absl::Span<const int64_t> dims,
                                         VectorTarget target) = nullptr;
};

// Null where there is none of that name.
const LibraryKernel* FindLibraryKernel(std::string_view name);

}  // namespace sinter::runtime::cpu
