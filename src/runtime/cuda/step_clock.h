// The times of steps by the device's clock: events in the stream between pieces of work.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cuda/context.h"
#include "runtime/step_times.h"

namespace sinter::runtime::cuda {

// Of one run, within a Scope. Steps are noted in the order in which they are submitted; what is
// between two of them, the host's control flow, counts for the loop or conditional.
class StepClock {
 public:
  // `parents` as FlatProgram::parents.
  StepClock(const Context& context, StepTimes& times, absl::Span<const int32_t> parents)
      : context_(context), timer_(times, parents) {}
  ~StepClock();
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  absl::Status Start();
  // A loop or conditional decides; `turn`: for another turn.
  void Control(int32_t step, bool turn);
  // Around a step that submits work, and after each of its stages.
  absl::Status Begin(int32_t step);
  absl::Status Stage(int32_t step, int32_t stage);
  absl::Status End(int32_t step);
  // Waits for the work, and adds up.
  absl::Status Finish();

 private:
  enum class Kind : uint8_t { kControl, kTurn, kBegin, kStage, kEnd };
  struct Note {
    Kind kind;
    int32_t step, stage;
    EventHandle event;  // null: none
  };
  absl::Status Add(Kind kind, int32_t step, int32_t stage);
  absl::Status Drain();
  absl::StatusOr<EventHandle> Record();

  const Context& context_;
  StepTimer timer_;
  std::vector<Note> notes_;
  std::vector<EventHandle> free_;
  EventHandle origin_ = nullptr;
  int64_t origin_ns_ = 0;  // since StepTimes::origin
  int64_t last_ = 0;       // the last event's time
};

}  // namespace sinter::runtime::cuda
