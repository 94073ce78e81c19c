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

// By number of the program's steps (FlatProgram::step_of): the launches that run on one thread
// whatever they are worth. In a body of a loop, or another list of steps, of which some run on one
// thread, arrays that these and others use move from core to core and back: all of the list runs on
// one thread where that takes less.
std::vector<bool> StepsOnOneThread(const program::Program& program, int parallelism);

}  // namespace sinter::runtime::cpu
