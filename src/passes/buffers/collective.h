// Collectives as steps of a program.
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "program/program.h"

namespace sinter {

// Whether the op is such a step where there are several participants: a collective, send or
// recv-done.
bool IsExchange(HloOpcode op);

// The step of a collective, send or recv-done that is between several participants of its module:
// all but slices, code and cost. Operands of tokens are none of it. `has_reducers`: those that
// reduce do so by kernels.
absl::StatusOr<program::Collective> CollectiveOf(const HloInstruction& i, bool has_reducers = true);

// Elements of a tile of a collective that reduces; 0 where it does not, or there is nothing to
// reduce.
int64_t TileElements(const HloInstruction& i);

}  // namespace sinter
