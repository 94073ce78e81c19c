// The library's top-k. program/sort_layout.h says how it is called.
#pragma once

#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// Reads the elements once, comparing them with the k-th best so far; what is better waits in a
// list, which is sorted and cut whenever it is full. Rows, and parts of long rows, are shared out
// over threads; the result does not depend on how.
void TopK(const LibraryArguments& arguments);
absl::Status CheckTopK(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
