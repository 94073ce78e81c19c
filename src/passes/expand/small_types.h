// Element types that are only stored: floats of at most 8 bits, integers of 2 and 4.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Operations that compute with such elements convert them: floats to F32 (F64 where it meets F64),
// integers to S8 and U8, products as rule 5 of the numeric contract says; reductions accumulate in
// F32 and round once. Products of operands of two types convert both to one. What moves elements
// keeps their type. The result of every operation is
// rounded to its own type, so the module means what it meant.
std::unique_ptr<Pass> MakeWidenSmallTypesPass();

// After MakeWidenSmallTypesPass: stored elements become bytes, U8 and, of signed integers, S8, as
// literals and buffers hold them, and conversions integer arithmetic (small_floats.h). The types of
// parameters and results change with them, their bytes do not. Unimplemented where a custom call
// takes or gives such a type.
std::unique_ptr<Pass> MakeStoreSmallTypesPass();

}  // namespace sinter
