// The library kernel "cholesky" (program/cholesky_layout.h): blocks of columns from the left (G. H.
// Golub, C. F. Van Loan, Matrix Computations, 4th edition, section 4.2.5).
#pragma once

#include "absl/status/status.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

void Cholesky(const LibraryArguments& arguments);
absl::Status CheckCholesky(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
