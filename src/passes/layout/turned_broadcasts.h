#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// A broadcast that puts the dimensions of its operand into another order, so that rows of what it
// gives are columns of the operand, becomes a transpose and a broadcast in order: the transpose can
// then be made once, where kernels would gather elements for each row (fusion compares the two).
std::unique_ptr<Pass> MakeTurnedBroadcastsPass();

}  // namespace sinter
