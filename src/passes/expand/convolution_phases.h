#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter::expand {

// A convolution whose input is spread (base dilation, as in transposed convolutions and gradients
// of strided ones), as convolutions of the input as it is: of the results at each distance from a
// multiple of the dilation, whose windows meet the same elements of the kernel, one. They are put
// together in turns. Where all these windows are equally long, or there are many, they are features
// of one convolution instead. Null where no dimension is spread, or in steps too; instructions are
// added to `c`.
absl::StatusOr<HloInstruction*> ConvolutionByPhases(HloComputation& c, const HloInstruction& i);

}  // namespace sinter::expand
