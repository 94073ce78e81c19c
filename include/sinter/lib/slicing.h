// Slices of the last dimensions, and PyTorch's gathers (xla/hlo/builder/lib/slicing.h).
//
//   sinter::Op corner = sinter::SliceInMinorDims(x, {0, 0}, {2, 2});   // x[..., 0:2, 0:2]
#pragma once

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// x[..., start[0]:end[0], ..., start[n]:end[n]].
SINTER_API Op SliceInMinorDims(const Operand& x, absl::Span<const int64_t> start,
                               absl::Span<const int64_t> end);
// x with `update` at x[start[0]:..., ..., start[n]:...]; a start for each dimension, clamped so
// that the update is within x.
SINTER_API Op UpdateSlice(const Operand& x, const Operand& update, absl::Span<const int64_t> start);
// The same with starts of the last dimensions; the others start at 0.
SINTER_API Op UpdateSliceInMinorDims(const Operand& x, const Operand& update,
                                     absl::Span<const int64_t> start);
// DynamicSlice and DynamicUpdateSlice (sinter/ops.h) with starts of the last dimensions; the others
// are whole, and start at 0.
SINTER_API Op DynamicSliceInMinorDims(const Operand& x, absl::Span<const Op> starts,
                                      absl::Span<const int64_t> sizes);
SINTER_API Op DynamicUpdateSliceInMinorDims(const Operand& x, const Operand& update,
                                            absl::Span<const Op> starts);

// For `dim` = 1 of three dimensions: out[i][j][k] = input[i][index[i][j][k]][k]. The index has the
// rank of the input and integers; the result has its sizes, which may be smaller than the input's
// beside `dim`. Indices outside are clamped; not `sparse`, which compares each index with each
// position, they give 0. Of rank 1: TorchIndexSelect.
SINTER_API Op TorchGather(const Operand& input, const Operand& index, int64_t dim,
                          bool sparse = true);
// For `dim` = 1 of three dimensions: combiner(input, sums), where sums[i][index[i][j][k]][k] is
// what the combiner makes of all src[i][j][k], and of zeros. So the combiner must be one of which 0
// is the neutral element. Indices outside are dropped.
SINTER_API Op TorchScatterDense(const Operand& input, const Operand& index, const Operand& src,
                                int64_t dim, const std::function<Op(Op, Op)>& combiner);
// The input's elements along `dim` at the indices, integers: of an index of rank 1, out[..][i][..]
// = input[..][index[i]][..]. The first `batch_dims` dimensions of input and index, which are at
// most `dim`, are of the same elements. The index's other dimensions stand in the place of `dim`.
// Indices outside are clamped.
SINTER_API Op TorchIndexSelect(const Operand& input, const Operand& index, int64_t dim,
                               int64_t batch_dims = 0);

}  // namespace sinter
