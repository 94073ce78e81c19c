// Makes a failing program smaller while it fails.
#pragma once

#include <functional>

#include "fuzz/program.h"

namespace sinter::fuzz {

// `fails` is asked of candidates; it was true of `program`. Drops results, puts parameters and
// earlier values in the place of nodes, in nested functions too, and shrinks dimensions.
Program Reduce(Program program, const std::function<bool(const Program&)>& fails,
               int most_attempts = 1000);

}  // namespace sinter::fuzz
