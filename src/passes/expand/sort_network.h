// Sorts as loops of elementwise operations, for targets without a library and for comparators that
// no target has code for.
#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// A sort becomes a bitonic network: a loop over its log2(n) (log2(n) + 1) / 2 stages, each of which
// exchanges pairs of elements at one distance. Any number of elements, any comparator (one that is
// no computation of scalars runs pair by pair), any number of operands; always stable, as elements
// that compare equal are compared by where they were. A sort of unsigned integers of at most 32
// bits that moves other operands along is one of words of 64 bits, the key above its place, by
// which the others are read when all is sorted.
std::unique_ptr<Pass> MakeSortNetworkPass(const TargetInfo& target);

}  // namespace sinter
