// Sorts in the form that the host's library takes.
#pragma once

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Where the library has it, a topk is of elements of 32 bits: narrower ones become keys of so many
// in their order. Any other topk becomes a sort of values and positions, of which it takes the
// first.
std::unique_ptr<Pass> MakeExpandTopKPass(const TargetInfo& target);

// Sorts are along the minor dimension: others are transposed before and after.
//
// A sort whose comparator compares one and the same function of one operand's two elements becomes
// a sort by that operand's keys, ascending, which moves the other operands along: unsigned integers
// in the order that the comparator asks for. Where the operand can be told from its key and is
// alone, only keys are sorted. Floats that are compared by value sort as numbers do, with all NaNs
// as one above them: last in ascending order, first in descending order. With NaNs such a
// comparator is no order, and the specification leaves open what it gives.
std::unique_ptr<Pass> MakeExpandSortPass();

}  // namespace sinter
