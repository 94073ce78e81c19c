// What instructions are to fusion.
#pragma once

#include "ir/module.h"

namespace sinter::fusion {

// What becomes code; everything else stays as it is.
bool IsComputing(const HloInstruction& i);

// Code whose results are taken one by one: loops, reductions of several arrays.
bool GivesTuple(const HloInstruction& i);

// A dynamic-update-slice over a value in memory: only its window is computed.
bool IsWindow(const HloInstruction& i);

// Takes so little of an array that a kernel of its own costs nothing beside a copy of the array.
bool TakesFewOf(const HloInstruction& i);

}  // namespace sinter::fusion
