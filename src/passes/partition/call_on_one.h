// A custom call that one partition makes, for all.
#pragma once

#include <vector>

#include "passes/partition/shard_builder.h"

namespace sinter::partition {

// The results of the custom call `i` by leaf, whole in all partitions: partition `device` calls,
// with whole operands, and hands on to the others what it has got. Of tokens each has its own.
std::vector<HloInstruction*> CallOnOne(ShardBuilder& b, const HloInstruction& i,
                                       const std::vector<HloInstruction*>& operands,
                                       int64_t device);

}  // namespace sinter::partition
