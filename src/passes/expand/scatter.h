// Scatters in the form that code generation takes.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Inputs and updates are converted to the types in which the computation combines; scatters without
// updates, or into nothing, become their inputs.
std::unique_ptr<Pass> MakeExpandScatterPass();

}  // namespace sinter
