// Where in a region values are computed, other than where its outputs are.
#pragma once

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter::fusion {

// Coordinates at which a region computes a value, by a number: 0 is what the outputs are computed
// at, others come of slices, pads and the like. And for which part of the outputs: less than all of
// them where it is a part of a concatenate.
using Places = absl::flat_hash_map<size_t, double>;
// How often the outputs' elements have the value: the parts together, the same in every process.
// With `masks_small` parts that are too small for pieces of a plan (tuning::kSmallPart) count as
// all of the outputs.
double SumOfParts(const Places& places, bool masks_small = false);

// Whether an operation moves elements, of which it has about as many as its operands.
bool MovesElements(HloOpcode op);

// What an element of the value costs to compute, with all that nothing else is computed from, in
// OpCost: where values are computed again, that is.
double OwnCost(const HloInstruction& value);

// Whether an operation reads its operand k at an offset from where the result is computed.
bool Shifts(HloOpcode op, size_t k);

}  // namespace sinter::fusion
