// Structural equality and hashes of instructions, computations and modules. Names, ids and metadata
// do not count; shapes with their layouts do.
#pragma once

#include "base/hash.h"
#include "ir/module.h"

namespace sinter {

// Equal op, shape, attributes and called computations (structurally), and the same operands. The
// caller decides whether they may be merged: side effects and parameters are not looked at.
bool SameInstruction(const HloInstruction& a, const HloInstruction& b);
// Equal for instructions that SameInstruction holds for.
Hash128 HashOf(const HloInstruction& instruction);

// Whether the instructions that both need are equal, one by one.
bool SameComputation(const HloComputation& a, const HloComputation& b);
// Equal for computations that SameComputation holds for and, for all practical purposes, only for
// those.
Hash128 HashOf(const HloComputation& computation);
bool SameModule(const HloModule& a, const HloModule& b);

// 128 bits that are equal for modules that SameModule holds for and, for all practical purposes,
// only for those: the graph's part of a cache key. Names are left out, but for custom calls'
// targets; aliases count.
Hash128 ModuleFingerprint(const HloModule& module);

// The rest of the key of a program that runs on several partitions: the annotations that say how
// values are spread over them, and what they are on. Equal for modules without such annotations
// that SameModule holds for.
Hash128 ShardingFingerprint(const HloModule& module);

}  // namespace sinter
