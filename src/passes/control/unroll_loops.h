#pragma once

#include "pass/pass.h"

namespace sinter {

// Loops that run at most 8 times, as their counter shows, and work element by element, are written
// out: their turns fuse, and what changes from turn to turn by plan becomes constant. Those that
// look up an element of a table in each turn, as searches by halves do, may run 24 times.
std::unique_ptr<Pass> MakeUnrollLoopsPass();

}  // namespace sinter
