// Dynamic dimensions for devices, which know static ones only.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Arrays of dynamic dimensions become static ones of the dimensions' bounds, and their sizes s32
// scalars beside them. Operations that combine elements along a dynamic dimension must not see
// those behind its size: these are replaced by a neutral value, or elements move so that they stay
// behind. Loops and branches carry the sizes along.
//
// The entry computation takes further parameters, s32[], one for each dynamic dimension of its
// parameters' arrays, in order. If its result has dynamic dimensions, it becomes a flat tuple of
// the result's arrays and, behind them in order, the sizes of their dynamic dimensions.
//
// The idea is that of XLA's DynamicDimensionInference and DynamicPadder. Unimplemented names the
// operation that cannot be done so; InvalidArgument for dimensions without a bound.
std::unique_ptr<Pass> MakeExpandDynamicDimensionsPass();

}  // namespace sinter
