#pragma once

#include "pass/pass.h"

namespace sinter {

// Powers with a known exponent become products, quotients and square roots where those stay within
// the bound of a power, 3 units in the last place: of floats the exponents 0, +-1, +-2, 3, 4,
// +-1/2,
// +-3/2 and 5/2, of F32, BF16 and F16 all whole ones up to 32, by products in a wider type; of
// integers those from 0 to 63. The special values are those of a power: of -0 and -inf, too.
std::unique_ptr<Pass> MakeExpandPowersPass();

}  // namespace sinter
