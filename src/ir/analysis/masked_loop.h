// Loops over arrays that go on while any element does.
#pragma once

#include "ir/module.h"

namespace sinter {

// The reduction by which the condition of a while asks whether any element goes on (by or), or
// whether not all are done (by and, and a not after it), where an element that does not go on keeps
// all its values from then on; else null. So vectorised loops come out of JAX: of a vmap, whose
// body selects between old and new values, and of functions that carry which elements are enabled.
// What an element becomes does then not depend on how long others go on.
//
// The state is a tuple; the body must not reduce anything.
const HloInstruction* AnyGoesOn(const HloInstruction& loop);

}  // namespace sinter
