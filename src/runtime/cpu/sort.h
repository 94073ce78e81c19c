// The library's sort. program/sort_layout.h says how it is called.
#pragma once

#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// Stable, in n log n comparisons of compiled code, or by the digits of unsigned keys in time linear
// in n. Rows are shared out over threads.
void Sort(const LibraryArguments& arguments);
absl::Status CheckSort(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
