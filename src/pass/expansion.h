// Passes that put plainer instructions in the place of single ones.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pass/pass.h"

namespace sinter {

// What takes the place of an instruction, written down in its computation; null where it stays.
using Expansion = std::function<absl::StatusOr<HloInstruction*>(HloComputation&, HloInstruction&)>;

// A pass that asks for every reachable instruction, operands first and called computations before
// their callers, and removes what nothing needs any more.
std::unique_ptr<Pass> MakeExpansionPass(std::string name, Expansion expand);

}  // namespace sinter
