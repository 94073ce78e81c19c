#include "passes/simplify/index_windows.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/simplify/rules.h"

namespace sinter {
namespace {

Shape Resized(const HloInstruction* x, Dims dims) {
  return Shape(x->shape().element_type(), std::move(dims));
}

// Dimensions of which some go: into the one before them, or as they have one element.
struct Fewer {
  explicit Fewer(const Shape& shape) : dims(shape.dimensions()) {}

  Dims dims, gone;

  // Of a run of dimensions, from `first` on, the first remains, if there is anything to remain.
  void Merge(int64_t first, int64_t count) {
    int64_t elements = 1;
    for (int64_t d = first; d < first + count; ++d) elements *= dims[static_cast<size_t>(d)];
    dims[static_cast<size_t>(first)] = elements;
    for (int64_t d = first + (elements == 1 ? 0 : 1); d < first + count; ++d) gone.push_back(d);
  }
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

HloInstruction* CollapseUnits(HloComputation& c, HloInstruction* i) {
  GatherAttrs a = i->attrs<GatherAttrs>();
  Fewer result(i->shape());
  Dims taken = a.collapsed_slice_dims;
  taken.insert(taken.end(), a.operand_batching_dims.begin(), a.operand_batching_dims.end());
  const Dims window = Others(taken, i->operand(0)->shape().rank());
  for (size_t k = 0; k < window.size(); ++k) {
    if (a.slice_sizes[static_cast<size_t>(window[k])] != 1) continue;
    result.Merge(a.offset_dims[k], 1);
    a.collapsed_slice_dims.push_back(window[k]);
  }
  if (result.gone.empty()) return nullptr;
  absl::c_sort(a.collapsed_slice_dims);
  a.offset_dims = result.Moved(a.offset_dims);
  HloInstruction* gather =
      c.AddWithShape(HloOpcode::Gather, Resized(i, result.Sizes()), i->operands(), std::move(a));
  gather->set_metadata(i->metadata());
  return AddReshape(c, gather, i->shape().dimensions());
}

HloInstruction* MergeWholeDimensions(HloComputation& c, HloInstruction* i) {
  if (i->operands().size() != 3 || !i->shape().is_array()) return nullptr;
  ScatterAttrs a = i->attrs<ScatterAttrs>();
  HloInstruction *x = i->operand(0), *updates = i->operand(2);
  if (x->shape().element_count() == 0 || updates->shape().element_count() == 0) return nullptr;
  Dims taken = a.inserted_window_dims;
  taken.insert(taken.end(), a.input_batching_dims.begin(), a.input_batching_dims.end());
  const Dims window = Others(taken, x->shape().rank());
  auto is_whole = [&](size_t k) {
    return x->shape().dimension(window[k]) ==
               updates->shape().dimension(a.update_window_dims[k]) &&
           !absl::c_linear_search(a.scatter_dims_to_operand_dims, window[k]);
  };
  auto follows = [&](size_t k) {
    return is_whole(k) && window[k] == window[k - 1] + 1 &&
           a.update_window_dims[k] == a.update_window_dims[k - 1] + 1;
  };
  Fewer of_x(x->shape()), of_updates(updates->shape());
  for (size_t k = 0; k < window.size();) {
    size_t end = k + 1;
    if (is_whole(k)) {
      while (end < window.size() && follows(end)) ++end;
      const auto count = static_cast<int64_t>(end - k);
      of_x.Merge(window[k], count);
      of_updates.Merge(a.update_window_dims[k], count);
    }
    k = end;
  }
  if (of_x.gone.empty()) return nullptr;
  a.update_window_dims = of_updates.Moved(a.update_window_dims);
  a.inserted_window_dims = of_x.Moved(a.inserted_window_dims);
  a.scatter_dims_to_operand_dims = of_x.Moved(a.scatter_dims_to_operand_dims);
  a.input_batching_dims = of_x.Moved(a.input_batching_dims);
  HloInstruction* scatter = c.AddWithShape(
      HloOpcode::Scatter, Resized(i, of_x.Sizes()),
      {AddReshape(c, x, of_x.Sizes()), i->operand(1), AddReshape(c, updates, of_updates.Sizes())},
      std::move(a), i->called());
  scatter->set_metadata(i->metadata());
  return AddReshape(c, scatter, i->shape().dimensions());
}

}  // namespace sinter
