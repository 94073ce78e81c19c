#pragma once

#include "pass/pass.h"

namespace sinter {

// Operations over windows become reductions and products of a view of the windows (the op
// "windows", whose elements the loops of both read in place), with padding and base dilation
// made into pads:
//
//   reduce-window       reduce(windows(pad(x))). Cumulative ones (FindCumulative) whose initial
//                       value repeats itself stay as they are, without further padding: code
//                       generation makes a scan of them, which takes linear time. From each
//                       element to the last of a long array, where the computation is not known
//                       to combine in any order, they become one of the reversed array.
//   convolution         dot(windows(pad(x)), kernel), or with the operands exchanged, so that the
//                       result's minor dimension is the last; without a view where windows are
//                       single elements; groups are batch dimensions. Groups of one input feature
//                       are a sum of products over the windows instead.
//   select-and-scatter  the position of the element that each window selects, then for each element
//                       what the windows that it belongs to scatter there (select_and_scatter.h).
std::unique_ptr<Pass> MakeExpandWindowsPass();

}  // namespace sinter
