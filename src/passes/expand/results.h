// Operations with several results, in the form that code generation takes.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Reductions and scatters of several arrays are used element by element: where anything else uses
// the tuple, or it is a root, that becomes a tuple of the elements.
std::unique_ptr<Pass> MakeExpandResultsPass();

}  // namespace sinter
