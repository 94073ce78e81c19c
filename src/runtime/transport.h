// How the contents of what participants exchange get from one to the other. In a process that is
// one memory (runtime/cpu/memory_transport.h).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/step_executor.h"

namespace sinter::runtime {

// An exchange of a group that has met: nobody of it goes on before it is done.
struct Exchange {
  const program::Collective* step = nullptr;
  program::StageFunction reducer = nullptr;
  // Of participants, and of each the addresses of its operands and results, in the group's order. A
  // participant that meets nobody is alone, and the group empty.
  absl::Span<const int64_t> group;
  std::vector<void* const*> pointers;
};

// The work of an exchange that is left for the threads of the participants, in pieces of which all
// may run at a time. The exchange is done when all have run.
class ExchangeWork {
 public:
  virtual ~ExchangeWork() = default;
  virtual int64_t pieces() const = 0;
  virtual void Run(int64_t piece) const = 0;
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  // Begins an exchange. What the work depends on lives until it is done. Results depend on the
  // exchange alone: not on pieces, threads or time. InvalidArgument for operands that contradict
  // themselves: roots outside the group, rows outside arrays.
  virtual absl::StatusOr<std::unique_ptr<ExchangeWork>> Begin(const Exchange& exchange) = 0;
};

}  // namespace sinter::runtime
