#pragma once

#include "pass/pass.h"

namespace sinter {

// scan becomes a loop that carries a counter, the carries and the outputs. Each iteration reads an
// element of each input and writes one of each output in place: time in proportion to the elements.
std::unique_ptr<Pass> MakeExpandScanPass();

}  // namespace sinter
