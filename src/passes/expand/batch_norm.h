#pragma once

#include "pass/pass.h"

namespace sinter {

// batch-norm-training, -inference and -grad become reductions and elementwise operations, as the
// StableHLO specification composes them; floats below 32 bits compute in F32.
std::unique_ptr<Pass> MakeExpandBatchNormPass();

}  // namespace sinter
