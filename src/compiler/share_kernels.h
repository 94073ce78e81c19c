// Kernels that differ in constants only, as one with parameters, so that LLVM compiles it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::compiler {

// The code that a kernel runs.
struct SharedCode {
  size_t kernel = 0;          // whose code it is
  std::vector<int64_t> dims;  // what a launch passes for that one's parameters
};

// By kernel. Of the kernels that may share (`may_share`, by kernel), those of one form - if there
// are tuning::kSharedKernels of it or more - run one that is added to `kernels`; others run
// themselves.
std::vector<SharedCode> ShareKernels(std::vector<kernel::Kernel>& kernels,
                                     const std::vector<bool>& may_share);

}  // namespace sinter::compiler
