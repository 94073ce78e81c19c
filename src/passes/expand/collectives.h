// Collectives in the forms that the target's library has.
#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Where the machine's library exchanges (TargetInfo::has_reducers is false): arrays are split and
// put together along their first dimension, by transposes before and after, and what the library
// does not reduce is exchanged whole and combined here, in the group's order: computations of more
// than one operation, types that it does not know, and maxima and minima of floats, which are to
// give NaN where one is. Unimplemented for collective-reduce of such.
std::unique_ptr<Pass> MakeExpandCollectivesPass(const TargetInfo& target);

}  // namespace sinter
