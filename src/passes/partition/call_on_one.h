// A custom call that one partition makes, for all.
#pragma once

#include <vector>

#include "passes/partition/shard_builder.h"

namespace sinter::partition {

// The result of the custom call `i`, of whole operands, in partition `device`; in others, which
// make no call, zeros. Of tokens each has its own.
HloInstruction* CallOnOne(ShardBuilder& b, const HloInstruction& i,
                          const std::vector<HloInstruction*>& operands, int64_t device);

}  // namespace sinter::partition
