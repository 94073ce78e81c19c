// How many elements an approximate top-k leaves (xla/hlo/builder/lib/approx_topk_shape.h).
//
//   auto [size, log2] = sinter::ApproxTopKReductionOutputSize(65536, 2, 32, 0.95f, false).value();
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "sinter/export.h"

namespace sinter {

// (how many of `input_size` elements are left, log2 of how many each of them stands for) by XLA's
// rules: windows of a power of two elements, in multiples of a tile of 128 (of operands of rank 1,
// 1024), so many that on average `recall_target` of the k largest are each the largest of theirs.
// `aggregate_to_topk`: (top_k, -1). (input_size, 0) where nothing is left out. A size that is not
// negative stands for input_size in the count of windows (of a dimension that is cut among
// devices). InvalidArgument for a recall outside (0, 1] and for a size below input_size.
SINTER_API absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override = -1);

}  // namespace sinter
