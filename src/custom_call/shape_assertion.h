// Assertions about shapes that are known only when a program runs, as JAX exports them.
#pragma once

#include <string_view>

#include "sinter/custom_call.h"

namespace sinter {

// The function behind "shape_assertion", empty for any other target. Its operands are whether the
// assertion holds, pred[], and numbers for the message, s32[] or s64[]; it has no results. Where
// the assertion does not hold it is InvalidArgument with the call's opaque string as the message,
// whose "{0}" is the first of the numbers.
CustomCallFunction FindShapeAssertion(std::string_view target);

}  // namespace sinter
