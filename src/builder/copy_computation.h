// Copies of computations between modules.
#pragma once

#include "ir/module.h"

namespace sinter {

// Copies what the entry of `from` reaches into `to`, under new names where names are taken, and
// returns the copy of the entry. Instructions without use or effect stay behind.
HloComputation* CopyInto(const HloModule& from, HloModule& to);

}  // namespace sinter
