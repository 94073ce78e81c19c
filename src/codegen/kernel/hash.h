// The structural hash of a kernel: equal for kernels that compile to the same code, so neither
// names nor the numbers of values enter, and everything else does. Float constants enter by their
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

struct KernelHash {
  uint64_t lo = 0, hi = 0;
  auto operator<=>(const KernelHash&) const = default;
};

KernelHash Hash(const Kernel& kernel);

// The same but for scalar constants: they enter where they are used, and not where `free` says so
// of an operand (kNotFree: it does); then what it returns enters in the constant's place. It is
// called for all operands, in order.
inline constexpr int kNotFree = -1;
KernelHash HashWithout(const Kernel& kernel, const std::function<int(const Op&, size_t)>& free);

// Of an operation that uses nothing but what it defines, constants of the kernel's top, and
// buffers, whose shapes are such constants: equal for those that do the same to other buffers.
// `buffers` become those that it uses, in the order in which it does. None of other operations.
std::optional<KernelHash> HashOfClosed(const Kernel& kernel, const Op& op,
                                       std::vector<int>& buffers);

}  // namespace sinter::kernel
