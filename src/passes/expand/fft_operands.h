// What Fourier transforms read and write in place of arrays that are only made for them.
#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// For targets whose library transforms: of complex numbers that are made of two arrays for
// transforms alone, these take the two; a transform between two transposes, the second of which
// undoes the first, runs along a dimension that others follow.
std::unique_ptr<Pass> MakeFftOperandsPass(const TargetInfo& target);

}  // namespace sinter
