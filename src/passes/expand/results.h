// Operations with several results, in the form that code generation takes.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Reductions (over windows too) and scatters of several arrays, and loops over scalars, are used
// element by element: where anything else uses the tuple, or it is a root, that becomes a tuple of
// the elements. A loop that runs inside a kernel starts from a tuple that nothing else uses.
std::unique_ptr<Pass> MakeExpandResultsPass();

}  // namespace sinter
