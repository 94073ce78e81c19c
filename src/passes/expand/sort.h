// Sorts in the form that the host's library takes.
#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Where the library has it, a topk is of elements of 32 bits: narrower ones become keys of so many
// in their order. Any other topk becomes a sort of values and positions, of which it takes the
// first.
std::unique_ptr<Pass> MakeExpandTopKPass(const TargetInfo& target);

// Sorts are along the minor dimension: others are transposed before and after, but for many short
// rows side by side, which the library sorts as they are. One of which only
// the first elements are read becomes a top-k, where the library has it.
//
// A sort whose comparator compares one and the same function of one operand's two elements, and
// where they are equal another, becomes a sort by keys: unsigned integers that hold these values
// side by side, in the order that the comparator asks for, and move the operands along; several
// sorts where they have more than 64 bits. Elements that the library orders as they are stay alone.
// Floats that are compared by value sort as numbers do, with all NaNs as one above them: last in
// ascending order, first in descending order. With NaNs such a comparator is no order, and the
// specification leaves open what it gives.
std::unique_ptr<Pass> MakeExpandSortPass(const TargetInfo& target);

}  // namespace sinter
