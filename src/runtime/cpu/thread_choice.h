// Over how many threads stages run: what they gain by it, and what moves between the processor's
// cores for it.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace sinter::runtime::cpu {

// For how many threads a stage that takes so long on one has enough work, if what it reads may be
// anywhere.
int ThreadsWorth(int64_t nanoseconds, int64_t tasks, int parallelism);

// How the launches of a program choose.
struct ThreadChoices {
  static constexpr int kWorth = -1;  // as many threads as they are worth
  static constexpr int kOne = -2;
  // By number of the program's steps (FlatProgram::step_of): one of these, or the trial
  // (ThreadTrial) that tells.
  std::vector<int> of_step;
  std::vector<int> loops;  // by trial: the number of the loop whose turns it times
};

// In a body of a loop, or another list of steps, arrays move from core to core and back where some
// steps run on one thread, or go through them in other parts: all of the list runs on one thread
// where that takes less, and where a loop may or may not, a trial is to tell.
ThreadChoices ChooseThreads(const program::Program& program, int parallelism);

}  // namespace sinter::runtime::cpu
