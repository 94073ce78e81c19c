// Comparing devices.
#pragma once

#include <string>

#include "ir/module.h"
#include "sinter/literal.h"
#include "sinter/testing.h"

namespace sinter::tools {

// The elements that differ most: "0 ulp", or "3 ulp at [0,3]: 1.5, expected 1.4999996; largest
// difference 3.58e-07", with the place of that difference where it is another.
std::string LargestError(const Literal& actual, const Literal& expected);

// What two devices may differ by in results of `type`: nothing where the program only has
// operations that are exact; else an error that grows with the square root of how many approximate
// operations there are and how many terms their sums have, since errors are as often up as down.
Tolerance DeviceTolerance(const HloModule& module, ElementType type);

}  // namespace sinter::tools
