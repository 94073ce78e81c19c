#pragma once

#include "pass/pass.h"

namespace sinter {

// Conditionals that need not be: a known choice is its branch, branches that take less time than
// to choose are all computed, and selected from. Of the others, what all branches pass on is read
// where it was before, results that nobody reads and operands that no branch reads are dropped, and
// constants of few elements are known inside of branches. So are those that a loop carries and does
// not change; what it then only passes on, or computes for itself alone, it carries no longer.
std::unique_ptr<Pass> MakeConditionalsPass();

}  // namespace sinter
