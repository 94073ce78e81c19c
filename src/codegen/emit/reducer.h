// What is known of the computation that a reduction, window or scan folds its elements with.
#pragma once

#include <optional>

#include "ir/module.h"

namespace sinter::emit {

// The op that gives result `k` of a reducer, where it is one op applied to the two parameters that
// belong to this result; else null. `reduce` is the instruction that calls it: half of its operands
// are initial values.
const HloInstruction* SingleOp(const HloInstruction& reduce, size_t k);

// The value from which the accumulators of result `k` may start where the initial value is combined
// once, at the end.
std::optional<double> NeutralOf(const HloInstruction& reduce, size_t k);

// Whether result `k` is a sum of floats or complex numbers.
bool SumsFloats(const HloInstruction& reduce, size_t k);

// Whether every result has a SingleOp: the elements may be taken in any order.
bool HasSingleOps(const HloInstruction& reduce);

}  // namespace sinter::emit
