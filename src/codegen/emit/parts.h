// A value of HLO in registers.
#pragma once

#include <vector>

#include "codegen/kernel/builder.h"

namespace sinter::emit {

// One tile, or two for complex element types.
struct Parts {
  kernel::Value re = kernel::kNone;
  kernel::Value im = kernel::kNone;
  bool complex() const { return im != kernel::kNone; }
};

// The real tiles of values of so many types, a complex one two, and back.
kernel::Values Flatten(const std::vector<Parts>& parts);
std::vector<Parts> Unflatten(const kernel::Values& v, const std::vector<ElementType>& types);

}  // namespace sinter::emit
