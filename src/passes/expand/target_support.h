// What a target has no code for.
#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Changes nothing. Unimplemented for a sort or scatter that is left where the target has no code
// for it (its computation calls others, or has a loop): before the work of planning and compiling
// the rest.
std::unique_ptr<Pass> MakeTargetSupportPass(const TargetInfo& target);

}  // namespace sinter
