// Structural equality and hashes: what an instruction, a computation or a module computes, whatever
// it is named and wherever it comes from (names, ids and metadata do not count; shapes with their
// layouts do).
#pragma once

#include "base/hash.h"
#include "ir/module.h"

namespace sinter {

// Equal op, shape, attributes and called computations (structurally), and the very same operands.
// Whether they may be merged is for the caller: side effects and parameters are not looked at.
bool SameInstruction(const HloInstruction& a, const HloInstruction& b);
// Equal for instructions that SameInstruction holds for.
Hash128 HashOf(const HloInstruction& instruction);

// Whether both compute the same in the same way, instruction by instruction of what they need.
bool SameComputation(const HloComputation& a, const HloComputation& b);
bool SameModule(const HloModule& a, const HloModule& b);

// 128 bits that are equal for modules that SameModule holds for and, for all practical purposes,
// only for those: the graph's part of a cache key. Names are left out, but for custom calls'
// targets; aliases count.
Hash128 ModuleFingerprint(const HloModule& module);

}  // namespace sinter
