// What the results of a region begin as, where it writes only windows of them.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/module.h"

namespace sinter::plan {

struct Base {
  size_t parameter = 0;  // number of the region's parameter that the result begins as a copy of
  bool read = false;     // the region also reads it
};

// One for each output of a region with a Window or a ScatterOf, else none.
std::vector<Base> Bases(const HloComputation& region);

}  // namespace sinter::plan
