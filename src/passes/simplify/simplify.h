// Passes that make a module smaller without changing what it computes, bit for bit.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Merges instructions that compute the same from the same operands. Side effects and parameters
// stay.
std::unique_ptr<Pass> MakeCommonSubexpressionsPass();

// Removes instructions that neither a root nor a side effect needs, and computations that nothing
// calls.
std::unique_ptr<Pass> MakeDeadCodePass();

// Evaluates instructions whose operands are constants, if the result is at most 64 KiB. Broadcasts
// and iotas stay: as instructions they cost a kernel nothing, as constants they cost memory.
std::unique_ptr<Pass> MakeConstantFoldingPass();

// Integers made of positions and constants: what can be one value only is a constant, and what is
// converted to fewer bits is computed in those.
std::unique_ptr<Pass> MakeIntegerRangesPass();

// Gathers, scatters and dynamic slices whose positions are known become slices, reverses and
// updates of a part; a gather of one slice becomes a dynamic slice. Positions are known where the
// indices follow from constants and iotas, and count up or down in equal steps.
std::unique_ptr<Pass> MakeIndexingPass();

// Slices of slices, of one operand of a concatenate, and of arrays that are updated at known places
// are slices of where their elements come from.
std::unique_ptr<Pass> MakeSlicesPass();

// Choices by one predicate between an array and the array with a part of it updated become updates
// of what the part is then: a loop that changes a few elements now and then does so in place.
std::unique_ptr<Pass> MakeSelectedUpdatesPass();

// Sums of what a loop carries and zeros of which a part is replaced, by an update, a scatter that
// adds or a pad, add to that part alone, in place: what gradients of loops that index an array add
// up. Scatters add in another order; elements that the rest would change, as -0 + 0 is 0, keep it.
std::unique_ptr<Pass> MakeAddedUpdatesPass();

// Sums of two arrays that are padded so that one is at the even and one at the odd positions of a
// dimension become concatenations.
std::unique_ptr<Pass> MakeInterleavePass();

// Concatenates of parts that are computed alike, as loops that a program writes out, become one
// computation of all of them:
//   concatenate(f(slice(x, 0), 2), f(slice(x, 1), 5), f(slice(x, 2), 3), ...)
// becomes f(x, {2, 5, 3, ...}), where f is elementwise operations, broadcasts and reshapes. Slices
// at places without an order become a gather.
std::unique_ptr<Pass> MakeRerollPass();

// Directional rules, each stated where it stands (algebraic.cc). Floating-point rules hold for
// every value, NaN, signed zeros and infinities included: x * 1, x - 0, but not x + 0 (which turns
// -0 into +0).
std::unique_ptr<Pass> MakeAlgebraicPass();

}  // namespace sinter
