// A value of HLO in registers.
#pragma once

#include "codegen/kernel/builder.h"

namespace sinter::emit {

// One tile, or two for complex element types.
struct Parts {
  kernel::Value re = kernel::kNone;
  kernel::Value im = kernel::kNone;
  bool complex() const { return im != kernel::kNone; }
};

}  // namespace sinter::emit
