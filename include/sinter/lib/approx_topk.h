// Approximate top-k (xla/hlo/builder/lib/approx_topk.h).
//
//   sinter::Op top = sinter::ApproxTopK(&b, {values, positions}, {least, none}, 8, 1, greater);
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// A tuple of the first elements along `reduction_dim` of operands sorted together by `comparator`
// (sinter/ops.h, Sort), of as many as ApproxTopKReductionOutputSize says; top_k of them if
// `aggregate_to_topk`. All that XLA may leave out is there: the result is exact, and in order.
// Where that size is the dimension's own, and nothing is aggregated, the operands as they are.
// `init_values` are scalars of the operands' types, before which everything comes.
SINTER_API Op ApproxTopK(Builder* builder, absl::Span<const Op> operands,
                         absl::Span<const Op> init_values, int64_t top_k, int64_t reduction_dim,
                         const Computation& comparator, float recall_target = 0.9f,
                         bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);
// The same, sorted also where nothing is left out.
SINTER_API Op ApproxTopKFallback(Builder* builder, absl::Span<const Op> operands,
                                 absl::Span<const Op> init_values, int64_t top_k,
                                 int64_t reduction_dim, const Computation& comparator,
                                 float recall_target = 0.9f, bool aggregate_to_topk = true,
                                 int64_t reduction_input_size_override = -1);
// A tuple of the first top_k elements along the dimension; for top_k = 1 by a reduction, else by
// sorting.
SINTER_API Op AggregateToTopKBuilder(Builder* builder, absl::Span<const Op> operands,
                                     absl::Span<const Op> init_values, int64_t top_k,
                                     int64_t reduction_dim, const Computation& comparator);

}  // namespace sinter
