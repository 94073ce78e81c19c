// The result of code generation, for every target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace sinter::codegen {

struct StageInfo {
  int function = 0;              // index into Code::symbols
  std::optional<int64_t> tasks;  // where the stage's bounds are constants
};

struct KernelInfo {
  std::vector<StageInfo> stages;
  std::vector<int> buffers;  // the kernel's buffer behind each pointer that a stage takes
  int64_t task_bytes = 0;  // a thread's scratch memory on the CPU, a block's shared memory on a GPU
  int threads = 0;         // of a block; 0 on the CPU
};

struct Compiled {
  program::Code code;
  std::vector<KernelInfo> kernels;
};

// The time of each step, in milliseconds.
struct CompileTimes {
  double emit = 0, passes = 0, codegen = 0;
};

// Filled on demand, for dumps and tests.
struct Artifacts {
  bool want_text = true;  // llvm_ir and assembly; on the CPU these cost a second code generation
  std::string llvm_ir;    // as given to code generation
  std::string assembly;   // PTX for CUDA
  CompileTimes times;
};

}  // namespace sinter::codegen
