// Element types that are only stored: floats of at most 8 bits, integers of 2 and 4.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Operations that compute with such elements convert them: floats to F32 (to F64 where an operand
// is F64, and F8E8M0FNU, whose least numbers F32 cannot hold), integers to S8 and U8, products as
// rule 5 of the numeric contract says; reductions accumulate in F32 and round once. Products of
// operands of two types convert both to one. Operations that move elements keep their type. The
// result of every operation is rounded to its own type, so that the meaning of the module does not
// change.
std::unique_ptr<Pass> MakeWidenSmallTypesPass();

// After MakeWidenSmallTypesPass: arrays that others see (parameters and results of the module and
// of custom calls) are packed where elements share bytes (u8[2] for s4[3],
// Shape::packed_byte_size). A bitcast-convert unpacks and packs them. Custom calls keep the shapes
// that they stated (CustomCallAttrs::stated_shapes). Arrays that are only passed on stay packed.
std::unique_ptr<Pass> MakePackSmallTypesPass();

// After MakePackSmallTypesPass: stored elements become bytes, U8 and, of signed integers, S8, as
// literals hold them, and conversions integer arithmetic (small_floats.h). The types of parameters
// and results change with them, their bytes do not.
std::unique_ptr<Pass> MakeStoreSmallTypesPass();

}  // namespace sinter
