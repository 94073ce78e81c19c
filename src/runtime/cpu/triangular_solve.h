// The kernel behind library calls "triangular-solve" (program/matrix_layouts.h).
#pragma once

#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

void TriangularSolve(const LibraryArguments& arguments);
absl::Status CheckTriangularSolve(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
