#include "passes/simplify/index_windows.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/simplify/rules.h"

namespace sinter {
namespace {

// Dimensions of which those of one element go.
struct Fewer {
  explicit Fewer(const Shape& shape) : dims(shape.dimensions()) {}

  Dims dims, gone;

  bool Has(int64_t d) const { return !absl::c_linear_search(gone, d); }
  int64_t To(int64_t d) const {
    return d - absl::c_count_if(gone, [&](int64_t g) { return g < d; });
  }
  Dims Moved(const Dims& positions) const {
    Dims moved;
    for (int64_t d : positions)
      if (Has(d)) moved.push_back(To(d));
    return moved;
  }
  Dims Sizes() const {
    Dims sizes;
    for (int64_t d : Others(gone, static_cast<int64_t>(dims.size())))
      sizes.push_back(dims[static_cast<size_t>(d)]);
    return sizes;
  }
};

}  // namespace

Dims Others(const Dims& positions, int64_t rank) {
  Dims others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(positions, d)) others.push_back(d);
  }
  return others;
}

HloInstruction* CollapseUnitsOfGather(HloComputation& c, HloInstruction* i) {
  GatherAttrs a = i->attrs<GatherAttrs>();
  Fewer result(i->shape());
  Dims taken = a.collapsed_slice_dims;
  taken.insert(taken.end(), a.operand_batching_dims.begin(), a.operand_batching_dims.end());
  const Dims window = Others(taken, i->operand(0)->shape().rank());
  for (size_t k = 0; k < window.size(); ++k) {
    if (a.slice_sizes[static_cast<size_t>(window[k])] != 1) continue;
    result.gone.push_back(a.offset_dims[k]);
    a.collapsed_slice_dims.push_back(window[k]);
  }
  if (result.gone.empty()) return nullptr;
  absl::c_sort(a.collapsed_slice_dims);
  a.offset_dims = result.Moved(a.offset_dims);
  HloInstruction* gather =
      c.AddWithShape(HloOpcode::Gather, Shape(i->shape().element_type(), result.Sizes()),
                     i->operands(), std::move(a));
  gather->set_metadata(i->metadata());
  return AddReshape(c, gather, i->shape().dimensions());
}

HloInstruction* CollapseUnitsOfScatter(HloComputation& c, HloInstruction* i) {
  if (i->operands().size() != 3 || !i->shape().is_array()) return nullptr;
  ScatterAttrs a = i->attrs<ScatterAttrs>();
  HloInstruction *x = i->operand(0), *updates = i->operand(2);
  if (x->shape().element_count() == 0 || updates->shape().element_count() == 0) return nullptr;
  Dims taken = a.inserted_window_dims;
  taken.insert(taken.end(), a.input_batching_dims.begin(), a.input_batching_dims.end());
  const Dims window = Others(taken, x->shape().rank());
  Fewer of_x(x->shape()), of_updates(updates->shape());
  for (size_t k = 0; k < window.size(); ++k) {
    if (x->shape().dimension(window[k]) != 1 ||
        absl::c_linear_search(a.scatter_dims_to_operand_dims, window[k]))
      continue;
    of_x.gone.push_back(window[k]);
    of_updates.gone.push_back(a.update_window_dims[k]);
  }
  if (of_x.gone.empty()) return nullptr;
  a.update_window_dims = of_updates.Moved(a.update_window_dims);
  a.inserted_window_dims = of_x.Moved(a.inserted_window_dims);
  a.scatter_dims_to_operand_dims = of_x.Moved(a.scatter_dims_to_operand_dims);
  a.input_batching_dims = of_x.Moved(a.input_batching_dims);
  HloInstruction* scatter = c.AddWithShape(
      HloOpcode::Scatter, Shape(i->shape().element_type(), of_x.Sizes()),
      {AddReshape(c, x, of_x.Sizes()), i->operand(1), AddReshape(c, updates, of_updates.Sizes())},
      std::move(a), i->called());
  scatter->set_metadata(i->metadata());
  return AddReshape(c, scatter, i->shape().dimensions());
}

}  // namespace sinter
