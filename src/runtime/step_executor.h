// What a device supplies to run a program: the steps made ready, and the state of one run.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "custom_call/call.h"
#include "program/program.h"
#include "runtime/step_times.h"

namespace sinter::runtime {

class Transport;

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
    CallingRun caller;  // for custom calls
  };

  // One of several that run the program.
  struct Participant {
    int64_t number = 0;
    uint32_t replica = 0, partition = 0;
  };
  // A straight run of steps that begins with an exchange, all of whose exchanges are of one group:
  // where all of the group have come to such a one, their transport may submit it whole. Of a run's
  // state.
  class Sequence {
   public:
    virtual ~Sequence() = default;
    // The transport has done so; else what has been exchanged is the first of it.
    bool whole = false;
  };
  // Where it needs others: the step, and the addresses of its operands and then its results.
  struct Meeting {
    const program::Collective* step = nullptr;  // null: the end of the program
    void* const* pointers = nullptr;
    program::StageFunction reducer = nullptr;
    // The step, which only begins, has been met before, and now its end is needed.
    bool awaits = false;
    // That the step is the first of. Null: the others go on by themselves.
    Sequence* sequence = nullptr;
  };

  virtual ~StepExecutor() = default;
  virtual absl::StatusOr<std::unique_ptr<State>> NewState() = 0;
  // Submits every step. `bases` holds the address of each of the program's allocations. Safe from
  // several threads, each with its own state.
  virtual absl::Status Run(absl::Span<void* const> bases, State& state) = 0;
  // The same, waits for it, and adds the times of its steps to `times`.
  virtual absl::Status RunTimed(absl::Span<void* const> bases, State& state, StepTimes& times) = 0;
  // The run of one of several participants goes on from where it was, until it meets others or
  // ends. A run that does not come to its end leaves a state that no other run may use.
  // Unimplemented where the device knows no participants.
  virtual absl::StatusOr<Meeting> Advance(absl::Span<void* const> bases, State& state,
                                          const Participant& self);
  // How what participants exchange gets from one to the other; null where Advance is Unimplemented.
  virtual Transport* transport() { return nullptr; }
  // Run takes as long as the work does, or waits for the device: an asynchronous run needs a thread
  // for it.
  virtual bool blocks() const = 0;
};

inline absl::StatusOr<StepExecutor::Meeting> StepExecutor::Advance(absl::Span<void* const>, State&,
                                                                   const Participant&) {
  return Unimplemented("this device runs no programs of several participants");
}

}  // namespace sinter::runtime
