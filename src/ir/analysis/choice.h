// Computations that compare elements and choose one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace sinter {

// kAnyOrder: whatever order and grouping it meets elements in, the same is chosen; kNumbers: where
// none of them is a NaN. kGreatest and kLeast, of pairs of a float and an index: the greatest or
// least number, of NaNs and of equal numbers the first, where indices grow in the order in which
// elements are met; not in any order.
enum class Choice { kUnknown, kNumbers, kAnyOrder, kGreatest, kLeast };

// Of a reducer of n accumulators and n elements, n at most 2, found by trying it: what depends on
// comparisons alone does the same for all elements that compare alike, so that a few stand for all.
// Zeros of both signs count as one element, and so do NaNs.
Choice ChoiceOf(const HloComputation& computation, size_t n);

// Whether the elements are their own positions along the dimension, as integers of 32 bits or more.
bool HoldsPositions(const HloInstruction& instruction, int64_t dimension);

// Of a reduction of values and their positions along its one dimension, whether it chooses the
// greatest number (true) or the least one, of NaNs and of equal numbers the first, as kGreatest and
// kLeast do, where an element's position is greater than the accumulator's; nothing of others.
std::optional<bool> ChoosesGreatest(const HloInstruction& reduce);

}  // namespace sinter
