// Loops whose steps are shorter than what it takes to launch them become kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/kernel/kernel.h"
#include "program/program.h"

namespace sinter::compiler {

// The kernel behind a launch.
struct LaunchedKernel {
  const kernel::Kernel* kernel = nullptr;
  std::vector<double> nanoseconds;  // of its stages
  program::Cost cost;
};

struct JoinedLoop {
  std::string name;
  kernel::Kernel kernel;
  std::vector<std::string> launches;  // the names of those that it takes the place of
  double nanoseconds = 0;             // of one turn
  std::vector<double> stages;         // nanoseconds of each stage, for threads
  bool by_columns = false;            // its tasks are blocks of columns
  program::Cost cost;                 // of one turn
};

// Replaces loops of `program` by launches, the outermost that can be: whose steps, those of inner
// loops included, are launches of kernels that run on one thread, short copies and control flow,
// and take little time beside what launching each costs, or go through the same columns of their
// arrays: each task runs all turns of some of them then (kernel::ByColumns). `kernel_of` is asked
// by the kernels of launches; those of the new ones are `next_kernel` and on, in the order of the
// result.
std::vector<JoinedLoop> JoinLoops(program::Program& program, int next_kernel, int vector_registers,
                                  const std::function<LaunchedKernel(int kernel)>& kernel_of);

}  // namespace sinter::compiler
