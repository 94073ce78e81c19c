#pragma once

#include "pass/pass.h"

namespace sinter {

// Arrays are row-major from here on: shapes lose their layouts, which say nothing of values. A
// custom call whose operands or results have others takes or gives the transposes that have the
// same order in memory.
std::unique_ptr<Pass> MakeExpandLayoutsPass();

}  // namespace sinter
