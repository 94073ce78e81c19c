#pragma once

#include "pass/pass.h"

namespace sinter {

// Arrays are row-major from here on: shapes lose their layouts, which say nothing of values.
std::unique_ptr<Pass> MakeExpandLayoutsPass();

// Custom calls whose targets want other layouts (CustomCallAttrs::layouts) take and give the
// transposes that have the same order in memory.
std::unique_ptr<Pass> MakeExpandCustomCallLayoutsPass();

}  // namespace sinter
