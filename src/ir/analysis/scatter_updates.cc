#include "ir/analysis/scatter_updates.h"

#include "absl/algorithm/container.h"
#include "ir/analysis/short_dimensions.h"

namespace sinter {

int64_t VectorDimension(const HloInstruction& scatter) {
  const auto& a = scatter.attrs<ScatterAttrs>();
  const Dims& dims = scatter.operands().back()->shape().dimensions();
  auto extent = [&](int64_t d) { return dims[static_cast<size_t>(d)]; };
  for (int64_t d : a.update_window_dims) {
    if (extent(d) != 1) return -1;
  }
  int64_t vector = -1, batch = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    if (absl::c_linear_search(a.update_window_dims, d)) continue;
    // The dimension of the indices that this one is.
    const int64_t of_indices = batch + (batch >= a.index_vector_dim ? 1 : 0);
    ++batch;
    if (absl::c_linear_search(a.scatter_indices_batching_dims, of_indices)) continue;
    if (extent(d) > 1) vector = d;
  }
  return vector >= 0 && extent(vector) >= kFewestRows ? vector : -1;
}

}  // namespace sinter
