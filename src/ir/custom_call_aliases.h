// Results of custom calls that are computed in the memory of an operand.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/module.h"

namespace sinter {

// The target gets one array for both, which begins as the operand: numbers among the leaves of all
// operands, and among those of the result.
struct LeafAlias {
  size_t operand = 0, result = 0;
};

// Of a call's output_to_operand_aliasing. Of several for one result the first counts.
std::vector<LeafAlias> LeafAliases(const HloInstruction& call);

}  // namespace sinter
