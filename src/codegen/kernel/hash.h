// The structural hash of a kernel: equal for kernels that compile to the same code, so neither
// names nor the numbers of values enter, and everything else does. Float constants enter by their
// bits.
#pragma once

#include <cstdint>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

struct KernelHash {
  uint64_t lo = 0, hi = 0;
  auto operator<=>(const KernelHash&) const = default;
};

KernelHash Hash(const Kernel& kernel);

}  // namespace sinter::kernel
