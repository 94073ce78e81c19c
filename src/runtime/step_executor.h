// What a device supplies to run a program: the steps made ready, and the state of one run.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace sinter::runtime {

class StepExecutor {
 public:
  // Memory that a run needs besides its allocations; one run at a time uses it, many in turn.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~StepExecutor() = default;
  virtual absl::StatusOr<std::unique_ptr<State>> NewState() = 0;
  // Runs every step and returns when the results are written. `bases` holds the address of each of
  // the program's allocations. Safe from several threads, each with its own state.
  virtual absl::Status Run(absl::Span<void* const> bases, State& state) = 0;
};

}  // namespace sinter::runtime
