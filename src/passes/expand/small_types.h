// Element types that are only stored: floats of at most 8 bits, integers of 2 and 4.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Operations that compute with such elements convert them: floats to F32 (F64 where it meets F64,
// and F8E8M0FNU, which else would lose what is below F32's numbers),
// integers to S8 and U8, products as rule 5 of the numeric contract says; reductions accumulate in
// F32 and round once. Products of operands of two types convert both to one. What moves elements
// keeps their type. The result of every operation is
// rounded to its own type, so the module means what it meant.
std::unique_ptr<Pass> MakeWidenSmallTypesPass();

// After MakeWidenSmallTypesPass: what comes from and goes to where others see it, parameters and
// results of the module and those of custom calls, is packed where elements share bytes (u8[2] for
// s4[3], Shape::packed_byte_size), and becomes elements, and bytes again, by bitcast-convert.
// Custom calls keep what they stated (CustomCallAttrs::stated_shapes). What is only handed on stays
// packed.
std::unique_ptr<Pass> MakePackSmallTypesPass();

// After MakePackSmallTypesPass: stored elements become bytes, U8 and, of signed integers, S8, as
// literals hold them, and conversions integer arithmetic (small_floats.h). The types of parameters
// and results change with them, their bytes do not.
std::unique_ptr<Pass> MakeStoreSmallTypesPass();

}  // namespace sinter
