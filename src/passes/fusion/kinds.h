// What instructions are to fusion.
#pragma once

#include "ir/module.h"

namespace sinter::fusion {

// What becomes code; everything else stays as it is.
bool IsComputing(const HloInstruction& i);

// Code whose results are taken one by one: loops, reductions of several arrays.
bool GivesTuple(const HloInstruction& i);

// A bitcast-convert that regroups bytes: it is always a view of memory.
bool IsByteView(const HloInstruction& instruction);

// A reshape or contiguous slice of a value in memory: it needs no code. The slice must begin at a
// multiple of 16 bytes, on which GPUs' accesses rely; any other slice is computed.
inline constexpr int64_t kViewAlignment = 16;
bool IsView(const HloInstruction& instruction);

// Whether each region that reads the value may compute it again.
bool IsCheap(const HloInstruction& instruction);

// Whether a dynamic-update-slice changes so little of a large array that a kernel of its own, in
// the array's memory, costs nothing beside the tests or seams that it would be to the kernel that
// computes the array; and whether nothing reads the old elements later.
bool ChangesFewInPlace(const HloInstruction& update);

// Takes so little of an array that a kernel of its own costs nothing beside a copy of the array.
bool TakesFewOf(const HloInstruction& i);

}  // namespace sinter::fusion
