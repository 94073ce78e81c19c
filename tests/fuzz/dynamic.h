// Random StableHLO programs whose types leave bounds open.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sinter::fuzz {

struct DynamicProgram {
  // @main takes tensor<?x3xf32>, and gives one array of a dynamic first dimension. Of arguments
  // that are small integers all values are integers that floats have.
  std::string text;
  // How many rows the result has where the argument has so many.
  std::function<int64_t(int64_t)> rows;
};

// The same program for the same seed.
DynamicProgram GenerateDynamic(uint64_t seed);

}  // namespace sinter::fuzz
