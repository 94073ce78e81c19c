// Which memory of its device each array of a program is in.
#pragma once

#include <string>
#include <vector>

#include "sinter/computation.h"

namespace sinter {

// mhlo.memory_kind, which JAX writes on arguments and results of StableHLO programs
// ("pinned_host"): one for each array, tuples taken apart; empty where the program states none.
struct MemoryKinds {
  std::vector<std::string> parameters, results;
};
MemoryKinds StatedMemoryKinds(const Computation& program);

}  // namespace sinter
