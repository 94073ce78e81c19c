// How the loops of a sum are cut into blocks, so that its error hardly grows with its length.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace sinter::emit {

// The most terms that an accumulator of a sum of floats takes, one after another.
inline constexpr int64_t kSumBlock = 128;

// For loops around a sum, outermost first, of so many steps each: the lengths in steps, ascending,
// of the blocks that each loop is cut into. A block begins with an accumulator of its own and adds
// it to the one outside when it ends; the longest blocks add to the accumulator that the loop
// carries. A loop of no blocks carries one accumulator through all of its steps.
// Every accumulator takes at most kSumBlock terms, each of which has kSumBlock / 4 terms or more of
// those inside, so that a term is rounded at most kSumBlock * (1 + log(n) / log(kSumBlock / 4))
// times.
std::vector<std::vector<int64_t>> CutIntoBlocks(absl::Span<const int64_t> steps);

}  // namespace sinter::emit
