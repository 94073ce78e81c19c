#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Slices of a value that is computed element by element become slices of what it is computed from:
//   v = multiply(a, broadcast(b))
//   x = slice(v), y = slice(v)
// becomes
//   x = multiply(slice(a), broadcast(slice(b))), y = ...
// where nothing else reads the value and its parts do not overlap, so that no element is computed
// twice; or where it is made of broadcasts and positions only, and little to compute. Parts that
// different kernels read are then computed by these. Values that are made of a reduction or product
// stay, as they are computed where that is; so do those of which parts are a few elements wide, or
// taken in steps.
std::unique_ptr<Pass> MakeSliceMotionPass(const TargetInfo& target);

}  // namespace sinter
