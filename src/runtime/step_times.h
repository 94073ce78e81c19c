// The times of a program's steps, as a profiled run takes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace sinter::runtime {

// Steps are named by the numbers of FlatProgram::step_of.
struct StepTimes {
  struct Step {
    int64_t calls = 0;
    int64_t turns = 0;            // of a loop's body
    int64_t nanoseconds = 0;      // of a loop or conditional with all that is in it
    std::vector<int64_t> stages;  // of a launch, nanoseconds
  };
  // A call of a step, a stage of it (-1: all), or the part of a stage that one thread ran.
  struct Event {
    int32_t step = 0, stage = -1, thread = 0;
    int64_t begin = 0, end = 0;  // nanoseconds since `origin`
  };

  std::vector<Step> steps;
  std::vector<Event> events;
  size_t most_events = 0;  // further ones are left out
  std::chrono::steady_clock::time_point origin = std::chrono::steady_clock::now();

  bool wants_events() const { return events.size() < most_events; }
  void Add(const Event& e) {
    if (wants_events()) events.push_back(e);
  }
  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                origin)
        .count();
  }
};

// Adds one run to StepTimes, given its steps in the order in which they run. Times are nanoseconds
// since StepTimes::origin, by whatever clock.
class StepTimer {
 public:
  // `parents` as FlatProgram::parents.
  StepTimer(StepTimes& times, absl::Span<const int32_t> parents);

  // Loops and conditionals begin with the first step in them, and end with the last one: they are
  // open meanwhile. `step` itself is one if `opens`.
  void Begin(int32_t step, bool opens, int64_t now);
  // `step`, which has begun at `begin` and opens nothing, is done.
  void End(int32_t step, int64_t begin, int64_t end);
  void Stage(int32_t step, int32_t stage, int64_t begin, int64_t end);
  // So many turns of a loop together.
  void Block(int32_t loop, int64_t turns, int64_t begin, int64_t end);
  // What a stage of a step took in the block, of so many calls of the step.
  void StageOfBlock(int32_t step, int32_t stage, int64_t calls, int64_t nanoseconds);
  void Turn(int32_t step) { ++times_.steps[static_cast<size_t>(step)].turns; }
  void Finish(int64_t now);

  StepTimes& times() { return times_; }

 private:
  struct Open {
    int32_t step;
    int64_t begin;
  };
  void Close(int64_t now);

  StepTimes& times_;
  const absl::Span<const int32_t> parents_;
  std::vector<Open> open_;
  std::vector<int32_t> chain_;
};

}  // namespace sinter::runtime
