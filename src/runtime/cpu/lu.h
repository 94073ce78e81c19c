// The kernel behind library calls "lu" (program/matrix_layouts.h).
#pragma once

#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// The right half of the columns after the left one, and so each half in turn (S. Toledo, Locality
// of reference in LU decomposition with partial pivoting, 1997).
void Lu(const LibraryArguments& arguments);
absl::Status CheckLu(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
