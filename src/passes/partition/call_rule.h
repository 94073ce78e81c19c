// Along which dimensions a custom call may be cut: what the program states of it.
//
// sdy.sharding_rule is Shardy's rule for the call (sdy.op_sharding_rule): the target computes parts
// of the results from the same parts of the operands. The frontend attribute num_batch_dims says of
// how many leading dimensions, which all arrays have, the members are computed independently.
#pragma once

#include "absl/status/statusor.h"
#include "passes/partition/rule.h"

namespace sinter::partition {

// Of a custom call; without factors where nothing is stated. Factors are cut evenly only.
// InvalidArgument for a rule that is malformed or does not fit the call's arrays.
absl::StatusOr<Rule> RuleOfCall(const HloInstruction& i);

}  // namespace sinter::partition
