// The local form of an operation.
#pragma once

#include <vector>

#include "passes/partition/choose.h"
#include "passes/partition/shard_builder.h"

namespace sinter::partition {

// The results of `i`, which is cut as `cut` says, from parts of its operands that are cut so. Where
// parts are combined, they may come cut further, as `wanted` (by result leaf) wants them, or are
// not combined over the axes of `partial`.
std::vector<Shard> LocalOperation(ShardBuilder& b, const HloInstruction& i, const Rule& rule,
                                  const OperationCut& cut,
                                  const std::vector<HloInstruction*>& operands,
                                  const std::vector<AxesOfDims>& wanted,
                                  const Partial& partial = {});

}  // namespace sinter::partition
