// The kernels behind library calls "qr" and "householder-product" (program/matrix_layouts.h).
#pragma once

#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// Panels of columns, whose reflections go to the columns behind them as one matrix I - V T V^T (R.
// Schreiber and C. Van Loan, A storage-efficient WY representation for products of Householder
// transformations, 1989).
void Qr(const LibraryArguments& arguments);
absl::Status CheckQr(const LibrarySignature& signature);
void HouseholderProduct(const LibraryArguments& arguments);
absl::Status CheckHouseholderProduct(const LibrarySignature& signature);

}  // namespace sinter::runtime::cpu
