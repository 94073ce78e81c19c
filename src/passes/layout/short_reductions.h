#pragma once

#include "pass/pass.h"

namespace sinter {

// Reductions over at most 8 elements, none of them along the last dimension, and those over the at
// most 32 positions in windows become operations on slices: kernels need no loop for them, and fuse
// them like any other element by element. Not those whose results are spread over the same elements
// again (softmax along them), unless what comes of that is reduced along other dimensions. Those of
// several results count each element of each operand, at most 8 in all. The order is that of the
// elements, after the initial value. Scans along a last dimension of fewer than 16 elements, of
// many rows, become stacks of what has been combined up to each place. Products of such windows
// with a single column (convolutions of one channel with one filter) are sums like them.
std::unique_ptr<Pass> MakeShortReductionsPass();

}  // namespace sinter
