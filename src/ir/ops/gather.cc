// Shape rules of gather and scatter, which have their dimension numbers in common.
#include "ir/ops/gather.h"

#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

bool IsSorted(const Dims& dims) { return std::is_sorted(dims.begin(), dims.end()); }

// What gather and scatter say about an array, the indices into it, and how the two belong together,
// under the names and constraint labels that each has in the specification.
struct Numbers {
  const Shape &array, &indices;
  std::string_view array_name, indices_name;
  const Dims& dropped;  // collapsed or inserted: dimensions of extent 1 that slices lack
  std::string_view dropped_name;
  const Dims& map;  // index vector position to array dimension
  std::string_view map_name;
  const Dims& array_batch;
  std::string_view array_batch_name;
  const Dims& indices_batch;
  std::string_view indices_batch_name;
  int64_t index_vector_dim;
  const GatherNumberLabels& labels;
};

bool IsKnown(int64_t size) { return size != Shape::kUnbounded; }

absl::Status Check(const Numbers& n) {
  const auto& l = n.labels;
  REQUIRE(IsInteger(n.indices.element_type()), "the {} must be integers", n.indices_name);
  const int64_t rank = n.array.rank(), indices_rank = n.indices.rank();
  REQUIRE(0 <= n.index_vector_dim && n.index_vector_dim <= indices_rank,
          "{}index_vector_dim={} must be a dimension of the {} or one past the last", l.vector_dim,
          n.index_vector_dim, n.indices_name);
  const int64_t components =
      n.index_vector_dim < indices_rank ? n.indices.dimension(n.index_vector_dim) : 1;
  REQUIRE(!IsKnown(components) || static_cast<int64_t>(n.map.size()) == components,
          "{}{}={} must have an entry for each of {} components of an index", l.map_size,
          n.map_name, Text(n.map), components);
  REQUIRE(IsUnique(Concatenated(n.dropped, n.array_batch)), "{}{}={} and {}={} must be unique",
          l.dropped_unique, n.dropped_name, Text(n.dropped), n.array_batch_name,
          Text(n.array_batch));
  REQUIRE(IsSorted(n.dropped), "{}{}={} must be sorted", l.dropped_sorted, n.dropped_name,
          Text(n.dropped));
  REQUIRE(InRange(n.dropped, rank), "{}{}={} must be dimensions of the {}", l.dropped_range,
          n.dropped_name, Text(n.dropped), n.array_name);
  REQUIRE(IsSorted(n.array_batch), "{}{}={} must be sorted", l.batch_sorted, n.array_batch_name,
          Text(n.array_batch));
  REQUIRE(InRange(n.array_batch, rank), "{}{}={} must be dimensions of the {}", l.batch_range,
          n.array_batch_name, Text(n.array_batch), n.array_name);
  REQUIRE(IsUnique(n.indices_batch), "{}{}={} must be unique", l.indices_batch_unique,
          n.indices_batch_name, Text(n.indices_batch));
  REQUIRE(InRange(n.indices_batch, indices_rank), "{}{}={} must be dimensions of the {}",
          l.indices_batch_range, n.indices_batch_name, Text(n.indices_batch), n.indices_name);
  REQUIRE(!absl::c_linear_search(n.indices_batch, n.index_vector_dim),
          "{}{}={} must not contain index_vector_dim={}", l.indices_batch_vector,
          n.indices_batch_name, Text(n.indices_batch), n.index_vector_dim);
  REQUIRE(n.array_batch.size() == n.indices_batch.size(), "{}{}={} and {}={} must be equally many",
          l.batch_count, n.array_batch_name, Text(n.array_batch), n.indices_batch_name,
          Text(n.indices_batch));
  for (size_t i = 0; i < n.array_batch.size(); ++i) {
    int64_t in_array = n.array.dimension(n.array_batch[i]),
            in_indices = n.indices.dimension(n.indices_batch[i]);
    REQUIRE(in_array == in_indices || !IsKnown(in_array) || !IsKnown(in_indices),
            "{}batching dimension {} of the {} is {}, dimension {} of the {} is {}", l.batch_sizes,
            n.array_batch[i], n.array_name, in_array, n.indices_batch[i], n.indices_name,
            in_indices);
  }
  REQUIRE(IsUnique(Concatenated(n.map, n.array_batch)), "{}{}={} and {}={} must be unique",
          l.map_unique, n.map_name, Text(n.map), n.array_batch_name, Text(n.array_batch));
  REQUIRE(InRange(n.map, rank), "{}{}={} must be dimensions of the {}", l.map_range, n.map_name,
          Text(n.map), n.array_name);
  return absl::OkStatus();
}

// The dimensions of the indices without the one that holds the components of an index, at the
// places that `window` leaves, and `window_sizes` at those.
Dims CombinedDims(const Shape& indices, int64_t index_vector_dim, const Dims& window,
                  const Dims& window_sizes) {
  Dims result;
  size_t next_window = 0;
  int64_t next_index = 0;
  auto take_index = [&] {
    if (next_index == index_vector_dim) ++next_index;
    result.push_back(indices.dimension(next_index++));
  };
  const int64_t batch = indices.rank() - (index_vector_dim < indices.rank() ? 1 : 0);
  const auto rank = static_cast<size_t>(batch) + window.size();
  for (size_t d = 0; d < rank; ++d) {
    if (next_window < window.size() && window[next_window] == static_cast<int64_t>(d)) {
      result.push_back(window_sizes[next_window++]);
    } else {
      take_index();
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<Dims> GatherSizes(const Shape& x, const Shape& indices, const GatherAttrs& a,
                                 const GatherLabels& labels) {
  REQUIRE(static_cast<size_t>(x.rank()) ==
              a.offset_dims.size() + a.collapsed_slice_dims.size() + a.operand_batching_dims.size(),
          "{}each of the operand's {} dimensions must be collapsed, batching or an offset, got "
          "{}, {} and {}",
          labels.rank, x.rank(), a.collapsed_slice_dims.size(), a.operand_batching_dims.size(),
          a.offset_dims.size());
  RETURN_IF_ERROR(Check({.array = x,
                         .indices = indices,
                         .array_name = "operand",
                         .indices_name = "start indices",
                         .dropped = a.collapsed_slice_dims,
                         .dropped_name = "collapsed_slice_dims",
                         .map = a.start_index_map,
                         .map_name = "start_index_map",
                         .array_batch = a.operand_batching_dims,
                         .array_batch_name = "operand_batching_dims",
                         .indices_batch = a.start_indices_batching_dims,
                         .indices_batch_name = "start_indices_batching_dims",
                         .index_vector_dim = a.index_vector_dim,
                         .labels = labels.numbers}));
  REQUIRE(IsUnique(a.offset_dims) && IsSorted(a.offset_dims),
          "{}offset_dims={} must be unique and sorted", labels.offset_sorted, Text(a.offset_dims));
  const int64_t rank = indices.rank() - (a.index_vector_dim < indices.rank() ? 1 : 0) +
                       static_cast<int64_t>(a.offset_dims.size());
  REQUIRE(InRange(a.offset_dims, rank),
          "{}offset_dims={} must be dimensions of the result, which has {}", labels.offset_range,
          Text(a.offset_dims), rank);
  REQUIRE(static_cast<int64_t>(a.slice_sizes.size()) == x.rank(),
          "{}slice_sizes={} must have an entry for each of {} dimensions", labels.slice_count,
          Text(a.slice_sizes), x.rank());
  Dims offset_sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t size = a.slice_sizes[static_cast<size_t>(d)];
    const bool known = IsKnown(size);
    REQUIRE(!known || (0 <= size && (!IsKnown(x.dimension(d)) || size <= x.dimension(d))),
            "{}the slice's size {} is not within dimension {} of size {}", labels.slice_range, size,
            d, x.dimension(d));
    const bool collapsed = absl::c_linear_search(a.collapsed_slice_dims, d);
    REQUIRE(!collapsed || !known || size <= 1,
            "{}the slice's size {} in collapsed dimension {} must be 1", labels.collapsed_size,
            size, d);
    const bool batching = absl::c_linear_search(a.operand_batching_dims, d);
    REQUIRE(!batching || !known || size <= 1,
            "{}the slice's size {} in batching dimension {} must be 1", labels.batching_size, size,
            d);
    if (!collapsed && !batching) offset_sizes.push_back(size);
  }
  return CombinedDims(indices, a.index_vector_dim, a.offset_dims, offset_sizes);
}

absl::StatusOr<Shape> Gather(const InferInput& in) {
  constexpr GatherLabels kLabels{.rank = "(C1) ",
                                 .numbers = {.vector_dim = "(C2) ",
                                             .map_size = "(C3) ",
                                             .dropped_unique = "(C6) ",
                                             .dropped_sorted = "(C7) ",
                                             .dropped_range = "(C8) ",
                                             .batch_sorted = "(C10) ",
                                             .batch_range = "(C11) ",
                                             .indices_batch_unique = "(C13) ",
                                             .indices_batch_range = "(C14) ",
                                             .indices_batch_vector = "(C15) ",
                                             .batch_count = "(C16) ",
                                             .batch_sizes = "(C17) ",
                                             .map_unique = "(C18) ",
                                             .map_range = "(C19) "},
                                 .offset_sorted = "(C4) ",
                                 .offset_range = "(C5) ",
                                 .slice_count = "(C20) ",
                                 .slice_range = "(C21) ",
                                 .collapsed_size = "(C9) ",
                                 .batching_size = "(C12) "};
  const Shape& x = in.operand(0);
  ASSIGN_OR_RETURN(const Dims sizes, GatherSizes(x, in.operand(1), in.as<GatherAttrs>(), kLabels));
  return MakeResult(x.element_type(), sizes);
}

// Operands: n inputs, the indices, n updates. The computation takes n current and n new scalars and
// gives n scalars.
absl::StatusOr<Shape> Scatter(const InferInput& in) {
  const size_t n = in.operands.size() / 2;
  REQUIRE(n > 0 && in.operands.size() == 2 * n + 1,
          "(C5) needs as many updates as inputs, and indices between them, got {} operands",
          in.operands.size());
  const Shape &x = in.operand(0), &indices = in.operand(n), &update = in.operand(n + 1);
  const auto& a = in.as<ScatterAttrs>();
  for (size_t i = 0; i < n; ++i) {
    REQUIRE(in.operand(i).is_array() && in.operand(i).SameDimensions(x),
            "(C1) the inputs must have the same dimensions");
    REQUIRE(in.operand(n + 1 + i).is_array() && in.operand(n + 1 + i).SameDimensions(update),
            "(C3) the updates must have the same dimensions");
    REQUIRE(in.operand(n + 1 + i).element_type() == in.operand(i).element_type(),
            "(C6) update {} must have the element type of input {}", i, i);
  }
  REQUIRE(static_cast<size_t>(x.rank()) == a.update_window_dims.size() +
                                               a.inserted_window_dims.size() +
                                               a.input_batching_dims.size(),
          "(C2) each of the inputs' {} dimensions must be inserted, batching or in the window, got "
          "{}, {} and {}",
          x.rank(), a.inserted_window_dims.size(), a.input_batching_dims.size(),
          a.update_window_dims.size());
  constexpr GatherNumberLabels kNumberLabels{.vector_dim = "(C22) ",
                                             .map_size = "(C19) ",
                                             .dropped_unique = "(C9) ",
                                             .dropped_sorted = "(C10) ",
                                             .dropped_range = "(C11) ",
                                             .batch_sorted = "(C12) ",
                                             .batch_range = "(C13) ",
                                             .indices_batch_unique = "(C14) ",
                                             .indices_batch_range = "(C15) ",
                                             .indices_batch_vector = "(C16) ",
                                             .batch_count = "(C17) ",
                                             .batch_sizes = "(C18) ",
                                             .map_unique = "(C20) ",
                                             .map_range = "(C21) "};
  RETURN_IF_ERROR(Check({.array = x,
                         .indices = indices,
                         .array_name = "inputs",
                         .indices_name = "scatter indices",
                         .dropped = a.inserted_window_dims,
                         .dropped_name = "inserted_window_dims",
                         .map = a.scatter_dims_to_operand_dims,
                         .map_name = "scatter_dims_to_operand_dims",
                         .array_batch = a.input_batching_dims,
                         .array_batch_name = "input_batching_dims",
                         .indices_batch = a.scatter_indices_batching_dims,
                         .indices_batch_name = "scatter_indices_batching_dims",
                         .index_vector_dim = a.index_vector_dim,
                         .labels = kNumberLabels}));
  REQUIRE(IsUnique(a.update_window_dims) && IsSorted(a.update_window_dims),
          "(C7) update_window_dims={} must be unique and sorted", Text(a.update_window_dims));
  REQUIRE(InRange(a.update_window_dims, update.rank()),
          "(C8) update_window_dims={} must be dimensions of the updates",
          Text(a.update_window_dims));
  const int64_t rank = indices.rank() - (a.index_vector_dim < indices.rank() ? 1 : 0) +
                       static_cast<int64_t>(a.update_window_dims.size());
  REQUIRE(update.rank() == rank, "(C4) the updates must have {} dimensions, they have {}", rank,
          update.rank());
  Dims window_sizes;
  for (int64_t d : a.update_window_dims) window_sizes.push_back(update.dimension(d));
  Dims expected = CombinedDims(indices, a.index_vector_dim, a.update_window_dims, window_sizes);
  REQUIRE(expected == update.dimensions(),
          "(C4) the updates must have dimensions {} outside their windows as the indices have, "
          "they are {}",
          Text(expected), update.ToString());
  size_t next = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (absl::c_linear_search(a.inserted_window_dims, d) ||
        absl::c_linear_search(a.input_batching_dims, d))
      continue;
    const int64_t size = window_sizes[next++];
    REQUIRE(size <= x.dimension(d),
            "(C4) the window's size {} is more than dimension {} of the inputs, {}", size, d,
            x.dimension(d));
  }

  const ComputationShape& body = in.called[0];
  REQUIRE(body.parameters.size() == 2 * n,
          "(C23) the computation must take {} scalars, it takes {}", 2 * n, body.parameters.size());
  std::vector<Shape> results = n == 1 ? std::vector{body.result} : body.result.tuple_shapes();
  REQUIRE(results.size() == n, "(C23) the computation must give {} scalars, it gives {}", n,
          body.result.ToString());
  for (size_t i = 0; i < n; ++i) {
    const Shape& r = results[i];
    REQUIRE(r.is_scalar() && Agree(body.parameters[i], r) && Agree(body.parameters[n + i], r),
            "(C23) the computation must take and give the same scalars: parameters {} and {} are "
            "{} and {}, result {} is {}",
            i, n + i, body.parameters[i].ToString(), body.parameters[n + i].ToString(), i,
            r.ToString());
    REQUIRE(IsPromotable(in.operand(i).element_type(), r.element_type()),
            "(C23) the computation combines {}, the input is {}", r.ToString(),
            in.operand(i).ToString());
    results[i] = WithElementType(in.operand(i), r.element_type());
  }
  if (n == 1) return results[0];
  return Shape::Tuple(std::move(results));
}

}  // namespace sinter::infer
