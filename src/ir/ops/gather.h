// What gathers ask of their dimension numbers, for those whose slice sizes are an operand too.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/ops/op.h"

namespace sinter::infer {

// What StableHLO's specification calls the constraints, as "(C2) "; empty where it has no label.
struct GatherNumberLabels {
  std::string_view vector_dim, map_size, dropped_unique, dropped_sorted, dropped_range,
      batch_sorted, batch_range, indices_batch_unique, indices_batch_range, indices_batch_vector,
      batch_count, batch_sizes, map_unique, map_range;
};
struct GatherLabels {
  std::string_view rank;
  GatherNumberLabels numbers;
  std::string_view offset_sorted, offset_range, slice_count, slice_range, collapsed_size,
      batching_size;
};

// The sizes of the result of a gather from `x`, or InvalidArgument with the constraint that is
// broken. Sizes that are Shape::kUnbounded, of the slices too, are unknown: they agree with any.
absl::StatusOr<Dims> GatherSizes(const Shape& x, const Shape& indices, const GatherAttrs& attrs,
                                 const GatherLabels& labels);

}  // namespace sinter::infer
