// Values that share storage, in steps.
#pragma once

#include <vector>

#include "program/program.h"

namespace sinter {

// Has the steps name the owners of storage (by allocation), and removes copies to where a value is
// already.
void ShareStorage(const std::vector<int>& owners, std::vector<program::Step>& steps);

}  // namespace sinter
