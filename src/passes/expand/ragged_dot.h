#pragma once

#include "pass/pass.h"

namespace sinter {

// ragged-dot becomes a dot of everything with every group, from which a comparison of positions
// with the sums of the group sizes picks: it takes as many products as there are groups times those
// that count, and memory for as many results (kFree) or copies of the operands (kContracting).
//
//   kFree         dot, the groups being free dimensions of rhs; a select and a sum over the groups.
//   kContracting  both operands repeated for each group and zero outside of it; a dot with the
//                 groups as a batch dimension.
//   kBatch        dot.
std::unique_ptr<Pass> MakeExpandRaggedDotPass();

}  // namespace sinter
