#include "ir/ops/ragged_dot.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace sinter {

Dims FreeDims(int64_t rank, std::initializer_list<const Dims*> lists) {
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::none_of(lists.begin(), lists.end(),
                     [&](const Dims* list) { return absl::c_linear_search(*list, d); }))
      dims.push_back(d);
  }
  return dims;
}

RaggedDims FindRagged(const RaggedDotAttrs& a, int64_t lhs_rank) {
  const int64_t ragged = a.lhs_ragged_dims[0];
  RaggedDims r;
  auto add_until_ragged = [&](const Dims& dims) {
    r.before.insert(r.before.end(), dims.begin(), absl::c_find(dims, ragged));
  };
  add_until_ragged(a.lhs_batch_dims);
  if (absl::c_linear_search(a.lhs_batch_dims, ragged)) {
    r.mode = RaggedMode::kBatch;
  } else if (absl::c_linear_search(a.lhs_contracting_dims, ragged)) {
    r.mode = RaggedMode::kContracting;
    add_until_ragged(a.lhs_contracting_dims);
  } else {
    add_until_ragged(FreeDims(lhs_rank, {&a.lhs_batch_dims, &a.lhs_contracting_dims}));
  }
  return r;
}

}  // namespace sinter
