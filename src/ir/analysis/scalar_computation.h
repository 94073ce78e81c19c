// Which computations run element by element.
#pragma once

#include "ir/module.h"

namespace sinter {

// Whether the instruction is a bitcast-convert between types of the same width, neither of which is
// PRED or complex.
bool IsElementwiseBitcast(const HloInstruction& instruction);

// Whether every value of the computation is a scalar (parameters and root may be flat tuples of
// scalars) and every operation elementwise: a reducer, a map, the body of a small loop.
bool IsScalarComputation(const HloComputation& computation);

// The operation that result k of a computation of n accumulators and n elements (a reducer, or what
// a scatter combines by) is, if it is an elementwise one of accumulator k and element k alone; else
// null.
const HloInstruction* CombinerOf(const HloComputation& computation, size_t n, size_t k);

// Whether a reducer of n accumulators and n elements gives the same, but for rounding, in whatever
// order and grouping it meets the elements: each result is a sum, product, minimum, maximum, and,
// or, xor, perhaps in another type, or elements are only compared and the same one is chosen
// (choice.h), but for NaNs. Others may be so too, but nobody knows.
bool CombinesInAnyOrder(const HloComputation& computation, size_t n);

// Whether a while carries a tuple of scalars, made where it starts, through computations of
// scalars. Such a loop needs no memory.
bool IsScalarLoop(const HloInstruction& instruction);

// Whether a while carries scalars and a few arrays of one shape, made where it starts, whose
// elements iterate independently: the body is elementwise, the condition looks at scalars, or
// whether any element goes on (AnyGoesOn), and only arrays of the state are used afterwards. Every
// element can run the whole loop by itself.
bool IsElementwiseLoop(const HloInstruction& instruction);

// How many registers the state of such a loop takes, with so many vectors of 64 bytes of each
// array.
int CarriedRegisters(const HloInstruction& loop, int vectors);

}  // namespace sinter
