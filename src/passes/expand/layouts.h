#pragma once

#include "pass/graph.h"
#include "pass/pass.h"

namespace sinter {

// Arrays are row-major from here on: shapes lose their layouts, which say nothing of values.
std::unique_ptr<Pass> MakeExpandLayoutsPass();

// Custom calls whose targets want other layouts (CustomCallAttrs::layouts) take and give the
// transposes that have the same order in memory.
std::unique_ptr<Pass> MakeExpandCustomCallLayoutsPass();

// An array that is row-major, in the order in which one of `shape` lies in memory, and back. Of
// tuples each element.
HloInstruction* MovedToMemory(Graph& g, HloInstruction* x, const Shape& shape);
HloInstruction* MovedToRowMajor(Graph& g, HloInstruction* x, const Shape& shape);

}  // namespace sinter
