// Parameters of a region that are read across the outputs' rows.
#pragma once

#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"

namespace sinter::plan {

// Reads of parameters whose minor dimension runs along `row_dim` of the outputs, and another one
// along `col_dim`, over `domain`. Empty where there are none, or where something is read along
// `col_dim` in another way than these and in order: not by steps of one, twice from one parameter,
// by more than one term a dimension, at places that may be outside of the parameter or that only
// the program's run tells.
std::vector<TransposedRead> FindTransposedReads(const Accesses& accesses, const Box& domain,
                                                int row_dim, int col_dim);

// The bytes from an element to its neighbour along a dimension of the outputs.
int64_t StrideOf(const TransposedRead& read, int dim);

// How many lines that are `stride` bytes apart stay in the first-level cache.
int64_t LinesInCache(int64_t stride);

}  // namespace sinter::plan
