#pragma once

#include "pass/pass.h"

namespace sinter {

// Arrays are row-major from here on: shapes lose their layouts, which say nothing of values.
// (Custom calls, to which they do, are row-major in every graph: ir/custom_call_layouts.h.)
std::unique_ptr<Pass> MakeExpandLayoutsPass();

}  // namespace sinter
