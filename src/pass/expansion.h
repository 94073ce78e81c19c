// Passes that put plainer instructions in the place of single ones.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pass/pass.h"

namespace sinter {

// Adds the replacement of an instruction to its computation; null where the instruction stays.
using Expansion = std::function<absl::StatusOr<HloInstruction*>(HloComputation&, HloInstruction&)>;

// A pass that expands every reachable instruction, operands first and called computations before
// their callers, and removes dead instructions.
std::unique_ptr<Pass> MakeExpansionPass(std::string name, Expansion expand);

}  // namespace sinter
