// What the results of a region begin as, where it writes only windows of them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace sinter::plan {

struct Base {
  size_t parameter = 0;   // number of the region's parameter that the result begins as a copy of
  bool read = false;      // the region also reads it
  bool in_place = false;  // the region reads each element only before it writes it
};

// One for each output of a region with a Window or a ScatterOf, else none.
std::vector<Base> Bases(const HloComputation& region);

// That of a region with a Window.
std::optional<Base> WindowBase(const HloComputation& region);

// Whether the region changes a few elements side by side of an array in place, anywhere along a
// row. The next change, in a loop, may be of some of the same elements: a load that meets a store
// in part waits until memory has it.
bool ChangesFewInPlace(const HloComputation& region);

}  // namespace sinter::plan
