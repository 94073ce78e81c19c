// A region on arrays of fewer dimensions, for whoever knows which can go.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ir/module.h"

namespace sinter::plan {

// For each dimension of an instruction's result (of each result, where it gives several), which
// dimension it becomes a part of, or kGone for one of one element. Called with instructions of the
// region that are neither a Tuple nor a While, which have none.
using DimensionGroups = std::function<std::vector<int64_t>(const HloInstruction&)>;
inline constexpr int64_t kGone = -1;

// The region (the body of a fusion) on such arrays, as the entry of a module of its own. Dimensions
// that become one are neighbours that operations treat alike; one that is gone or goes into another
// is whole or of one element wherever an operation says something of it. Parameters and outputs are
// the same arrays in the same order: row-major memory does not know dimensions. It calls the
// computations that `region` calls, which must outlive it. `as_words`: complex numbers of two F32,
// which the region only moves, are U64.
std::unique_ptr<HloModule> WithFewerDimensions(const HloComputation& region,
                                               const DimensionGroups& groups, bool as_words);

}  // namespace sinter::plan
