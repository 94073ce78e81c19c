// Values that are the same in every run, without instructions of their own.
#pragma once

#include <optional>

#include "ir/module.h"

namespace sinter {

// The value of a small array of integers that follows from constants and iotas alone: nothing where
// it depends on anything else, is large, or takes many instructions.
std::optional<Literal> KnownIntegers(const HloInstruction* i);
// An element of an integer array; one that is no index of any array by its sign only.
int64_t IndexAt(const Literal& values, int64_t k);
// That of a scalar whose value is known.
std::optional<int64_t> KnownIndex(const HloInstruction* scalar);

// The value that every element of a constant, or of a broadcast of a scalar constant, has. Not for
// complex numbers.
std::optional<double> SplatOf(const HloInstruction* i);
// Whether they have this value, of this sign.
bool IsSplat(const HloInstruction* i, double value);

}  // namespace sinter
