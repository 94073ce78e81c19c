// Scatters with dynamic dimensions: what is not there of updates goes nowhere.
#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/results.h"
#include "passes/expand/dynamic_values.h"

namespace sinter::expand {

SizedOperation::Results SizedOperation::Scatter() {
  const auto& a = i_.attrs<ScatterAttrs>();
  const size_t inputs = operands_.size() / 2;
  HloInstruction*& indices = operands_[inputs].array;
  // Window dimensions: what is not there of an update must not be where something is.
  Dims window;
  for (int64_t d = 0; d < operands_[0].array->shape().rank(); ++d) {
    if (!absl::c_linear_search(a.inserted_window_dims, d) &&
        !absl::c_linear_search(a.input_batching_dims, d))
      window.push_back(d);
  }
  std::vector<HloInstruction*> counts = operands_[inputs].sizes;
  for (size_t k = 0; k < inputs; ++k) {
    const Sized& update = operands_[inputs + 1 + k];
    int64_t at = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(update.sizes.size()); ++d) {
      auto w = absl::c_find(a.update_window_dims, d);
      if (w == a.update_window_dims.end()) {
        if (at == a.index_vector_dim) ++at;
        HloInstruction*& count = counts[static_cast<size_t>(at++)];
        if (count == nullptr) count = update.size(d);
        continue;
      }
      const int64_t into = window[static_cast<size_t>(w - a.update_window_dims.begin())];
      const bool along = absl::c_linear_search(a.scatter_dims_to_operand_dims, into);
      const bool same = !along && operands_[k].size(into) == update.size(d);
      // Parts of the window that are not there would be where the operand has something, and the
      // window may be partly where the operand has nothing.
      if (!same && (update.size(d) || operands_[k].size(into))) return ScatterElements();
    }
  }
  const Sized places{indices, counts};
  if (!places.is_static()) {
    if (a.scatter_dims_to_operand_dims.empty()) return ScatterElements();
    // No window reaches from there into the operand.
    indices = Signed(indices);
    const ElementType type = indices->shape().element_type();
    Dims dims;
    for (int64_t d = 0; d < indices->shape().rank(); ++d) {
      if (d != a.index_vector_dim) dims.push_back(d);
    }
    indices = Mask({indices, counts}, dims, g_.Scalar(type, -0x1p30));
  }
  return Same();
}

// Each element of the updates is an update of its own, at all of its coordinates, if its window is
// wholly inside.
SizedOperation::Results SizedOperation::ScatterElements() {
  const auto& a = i_.attrs<ScatterAttrs>();
  const size_t inputs = operands_.size() / 2;
  const int64_t rank = operands_[0].array->shape().rank();
  HloInstruction* indices = Signed(operands_[inputs].array);
  const ElementType type = indices->shape().element_type();
  Sized update = operands_[inputs + 1];
  const Dims bounds = update.bounds();
  auto sized = [&](HloInstruction* size) { return g_.Splat(g_.Convert(size, type), bounds); };
  auto along = [&](int64_t d) {
    const Shape shape(type, bounds);
    return g_.Add(HloOpcode::Iota, {}, IotaAttrs{d}, {}, &shape);
  };
  // Dimensions of the updates: those of windows, and for each other the one of the indices.
  Dims scatter_dims, index_dims;
  int64_t index = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(bounds.size()); ++d) {
    for (size_t k = 1; k < inputs; ++k) {
      HloInstruction*& size = update.sizes[static_cast<size_t>(d)];
      if (!size) size = operands_[inputs + 1 + k].size(d);
    }
    if (absl::c_linear_search(a.update_window_dims, d)) continue;
    if (index == a.index_vector_dim) ++index;
    scatter_dims.push_back(d);
    HloInstruction*& size = update.sizes[static_cast<size_t>(d)];
    if (!size) size = operands_[inputs].size(index);
    index_dims.push_back(index++);
  }
  // The first coordinate of a window along the operand's dimension that entry k of indices is of.
  auto start = [&](size_t k) {
    HloInstruction* part = indices;
    if (a.index_vector_dim < indices->shape().rank()) {
      Dims starts(indices->shape().dimensions().size(), 0), limits = indices->shape().dimensions(),
                                                            strides(starts.size(), 1);
      const auto at = static_cast<size_t>(a.index_vector_dim);
      starts[at] = static_cast<int64_t>(k);
      limits[at] = starts[at] + 1;
      Dims rest = limits;
      rest.erase(rest.begin() + a.index_vector_dim);
      part = g_.Reshape(g_.Add(HloOpcode::Slice, {indices}, SliceAttrs{starts, limits, strides}),
                        rest);
    }
    return g_.Broadcast(part, bounds, scatter_dims);
  };
  HloInstruction* present = Presence(update, AllDims(inputs + 1));
  auto require = [&](HloInstruction* p) { present = present ? Op(HloOpcode::And, present, p) : p; };
  std::vector<HloInstruction*> coordinates;
  size_t window = 0;
  for (int64_t r = 0; r < rank; ++r) {
    HloInstruction* at = nullptr;
    HloInstruction* last = nullptr;  // where a window may begin
    const auto batch = absl::c_find(a.input_batching_dims, r);
    if (batch != a.input_batching_dims.end()) {
      const int64_t of = a.scatter_indices_batching_dims[static_cast<size_t>(
          batch - a.input_batching_dims.begin())];
      at = along(
          scatter_dims[static_cast<size_t>(absl::c_find(index_dims, of) - index_dims.begin())]);
    } else if (!absl::c_linear_search(a.inserted_window_dims, r)) {
      const int64_t d = a.update_window_dims[window++];
      at = along(d);
      if (operands_[0].size(r) || operands_[inputs + 1].size(d) ||
          absl::c_linear_search(a.scatter_dims_to_operand_dims, r))
        last = Op(HloOpcode::Subtract, SizeOf(0, r), SizeOf(inputs + 1, d));
    }
    const auto k = absl::c_find(a.scatter_dims_to_operand_dims, r);
    if (k != a.scatter_dims_to_operand_dims.end()) {
      HloInstruction* first =
          start(static_cast<size_t>(k - a.scatter_dims_to_operand_dims.begin()));
      at = at ? Op(HloOpcode::Add, at, first) : first;
      if (last) {
        require(g_.Compare(first, sized(Int(0)), ComparisonDirection::kGe));
        require(g_.Compare(first, sized(last), ComparisonDirection::kLe));
      }
    } else if (last) {
      require(g_.Compare(sized(Int(0)), sized(last), ComparisonDirection::kLe));
    }
    coordinates.push_back(at ? at : sized(Int(0)));
  }
  // A scalar is an array of one element.
  if (rank == 0) coordinates.push_back(sized(Int(0)));
  if (present)
    coordinates[0] = g_.Add(HloOpcode::Select, {present, coordinates[0], sized(Int(-1))});

  ScatterAttrs attrs;
  attrs.index_vector_dim = static_cast<int64_t>(bounds.size());
  Dims one = bounds;
  one.push_back(1);
  for (size_t r = 0; r < coordinates.size(); ++r) {
    attrs.inserted_window_dims.push_back(static_cast<int64_t>(r));
    attrs.scatter_dims_to_operand_dims.push_back(static_cast<int64_t>(r));
    coordinates[r] = g_.Reshape(coordinates[r], one);
  }
  for (size_t k = 0; k < inputs && rank == 0; ++k)
    operands_[k].array = g_.Reshape(operands_[k].array, {1});
  std::vector<HloInstruction*> operands;
  for (const Sized& x : operands_) operands.push_back(x.array);
  operands[inputs] = coordinates.size() == 1 ? coordinates[0]
                                             : g_.Add(HloOpcode::Concatenate, coordinates,
                                                      DimensionsAttrs{{attrs.index_vector_dim}});
  HloInstruction* scattered = g_.Add(HloOpcode::Scatter, operands, std::move(attrs), called_);
  RETURN_IF_ERROR(g_.status());
  std::vector<Sized> results;
  for (size_t k = 0; k < inputs; ++k) {
    HloInstruction* array =
        i_.shape().is_tuple() ? g_.Element(scattered, static_cast<int64_t>(k)) : scattered;
    const Shape& shape = ResultShape(i_, k);
    results.push_back({g_.Reshape(array, shape.dimensions()), operands_[0].sizes});
  }
  RETURN_IF_ERROR(g_.status());
  return results;
}

}  // namespace sinter::expand
