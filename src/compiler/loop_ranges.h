// Loops of which turns may run several at a time, block by block of their arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/kernel/kernel.h"
#include "program/program.h"

namespace sinter::compiler {

// A kernel that steps launch, and how tasks of its stages use its buffers (UsesOf).
struct KernelUses {
  kernel::Kernel* kernel = nullptr;
  const std::vector<std::vector<program::BufferUse>>* uses = nullptr;
};

// Loops that are cut do nothing but launch kernels, of which each task needs only what is near its
// own elements, in turns whose number is known. In those whose tasks are small beside a
// second-level cache of so many bytes, stores go into the caches, where the next turn finds them.
void KeepInCaches(std::vector<program::Step>& steps, int64_t l2_bytes,
                  const std::function<KernelUses(int kernel)>& kernel_of);

// Writes down what each task uses (program::Stage::ranges), of the stages of loops that may be cut.
// Launches know their stages.
void StateRanges(std::vector<program::Step>& steps,
                 const std::function<KernelUses(int kernel)>& kernel_of);

}  // namespace sinter::compiler
