// Random numbers as integer arithmetic.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// rng-bit-generator becomes the counters, the rounds of its generator on whole arrays, and the
// order in which XLA lays out their words (J. Salmon et al., Parallel Random Numbers: As Easy as 1,
// 2, 3, SC 2011). rng becomes Philox with a key of the instruction's own, and the map from bits to
// its distribution. Before common subexpressions: two rng with equal operands differ.
std::unique_ptr<Pass> MakeExpandRandomPass();

}  // namespace sinter
