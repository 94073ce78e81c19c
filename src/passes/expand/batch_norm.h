#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "pass/pass.h"

namespace sinter {

// batch-norm-training, -inference and -grad become reductions and elementwise operations, as the
// StableHLO specification composes them; floats below 32 bits compute in F32.
std::unique_ptr<Pass> MakeExpandBatchNormPass();

namespace expand {

// The operation that `i` is on these operands, written down in `c`. Where `present`, a predicate of
// the first operand's dimensions, is not null, its other elements are left out, and `count`, a
// scalar of the type that sums are in (Wide), says how many there are of each feature.
absl::StatusOr<HloInstruction*> BatchNorm(HloComputation& c, const HloInstruction& i,
                                          absl::Span<HloInstruction* const> operands,
                                          HloInstruction* present, HloInstruction* count);

}  // namespace expand
}  // namespace sinter
