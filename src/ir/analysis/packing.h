// Which products of matrices are worth packing.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace sinter {

// Whether a product of m x k by k x n elements is worth copying its operands into panels: they do
// not fit into the first-level cache, and each is read several times.
bool IsWorthPacking(int64_t m, int64_t n, int64_t k);

// The same of a Dot, whatever the order of its dimensions; of real numbers only.
bool IsWorthPacking(const HloInstruction& dot);

}  // namespace sinter
