// Products of sparse matrices, under the name by which JAX computes them on the host.
#pragma once

#include <string_view>

#include "sinter/custom_call.h"

namespace sinter {

// The function behind "cpu_csr_sparse_dense_ffi", empty for any other target: a matrix of `rows` by
// `columns` in compressed rows times a dense vector or matrix. Its operands are the entries [n],
// where each row's begin [rows + 1], the entries' columns [n], and the right-hand side [columns] or
// [columns, r]; its result is [rows] or [rows, r]. Entries, right-hand side and result are of one
// type among F32, F64, C64, C128, S32 and S64, indices S32 or S64. Entries are added up in order.
// InvalidArgument for other arrays, for rows that do not follow one another within the entries and
// for columns that there are not.
CustomCallFunction FindSparseProduct(std::string_view target);

}  // namespace sinter
