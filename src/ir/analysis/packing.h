// Which products of matrices are worth packing.
#pragma once

#include <cstdint>

namespace sinter {

// Whether a product of m x k by k x n elements is worth copying its operands into panels: they do
// not fit into the first-level cache, and each is read several times.
inline bool IsWorthPacking(int64_t m, int64_t n, int64_t k) {
  constexpr double kLeastWork = 96.0 * 96 * 96;
  return m >= 16 && n >= 32 && k >= 16 &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >= kLeastWork;
}

}  // namespace sinter
