// Programs of porting_test.cc.
#pragma once

#include "absl/status/statusor.h"
#include "sinter/computation.h"

namespace porting {

// f32[2,3] -> f32[2,3].
absl::StatusOr<sinter::Computation> Softmax();
// () -> s32[].
absl::StatusOr<sinter::Computation> PowersOfTwo();
// () -> (f32[3,3], s32[3], pred[], pred[], s32[3]).
absl::StatusOr<sinter::Computation> Assorted();

}  // namespace porting
