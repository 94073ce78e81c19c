// What a device supplies to run a program: the steps made ready, and the state of one run.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "custom_call/call.h"
#include "runtime/step_times.h"

namespace sinter::runtime {

class StepExecutor {
 public:
  struct Options {
    // Denormals count as zeros on every thread of the host while compiled code runs. Devices whose
    // code says so itself ignore it.
    bool flush_denormals = false;
    // Of custom calls. Those of its own wait for the host.
    CustomCallTargets custom_calls;
  };
  // Memory that a run needs besides its allocations. One run at a time uses it; later runs reuse
  // it.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~StepExecutor() = default;
  virtual absl::StatusOr<std::unique_ptr<State>> NewState() = 0;
  // Submits every step. `bases` holds the address of each of the program's allocations. Safe from
  // several threads, each with its own state.
  virtual absl::Status Run(absl::Span<void* const> bases, State& state) = 0;
  // The same, waits for it, and adds the times of its steps to `times`.
  virtual absl::Status RunTimed(absl::Span<void* const> bases, State& state, StepTimes& times) = 0;
  // Run takes as long as the work does, or waits for the device: an asynchronous run needs a thread
  // for it.
  virtual bool blocks() const = 0;
};

}  // namespace sinter::runtime
