// gather and scatter: slices of an array at starts that are data.
#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "eval/fold.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

// The index vectors in an array of indices, numbered in row-major order of the other dimensions
// (the batch), and the starts in an array of `rank` dimensions that they stand for.
class Starts {
 public:
  Starts(const Literal& indices, int64_t index_vector_dim, const Dims& map, size_t rank,
         const Dims& array_batch, const Dims& indices_batch)
      : indices_(indices),
        map_(map),
        rank_(rank),
        array_batch_(array_batch),
        indices_batch_(indices_batch),
        vector_dim_(static_cast<size_t>(index_vector_dim)),
        strides_(RowMajorStrides(indices.shape().dimensions())) {
    const Dims& dimensions = indices.shape().dimensions();
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (d != vector_dim_) count_ *= dimensions[d];
    }
  }

  int64_t count() const { return count_; }

  // The coordinates of batch position `number`, one for each dimension of the indices but
  // index_vector_dim.
  Dims Batch(int64_t number) const {
    const Dims& dimensions = indices_.shape().dimensions();
    Dims coordinates;
    for (size_t d = dimensions.size(); d-- > 0;) {
      if (d == vector_dim_) continue;
      coordinates.insert(coordinates.begin(), number % dimensions[d]);
      number /= dimensions[d];
    }
    return coordinates;
  }

  Dims At(const Dims& batch) const {
    Dims full = batch;  // coordinates in the indices
    if (vector_dim_ < strides_.size())
      full.insert(full.begin() + static_cast<int64_t>(vector_dim_), 0);
    int64_t first = std::inner_product(full.begin(), full.end(), strides_.begin(), int64_t{0});
    int64_t step = vector_dim_ < strides_.size() ? strides_[vector_dim_] : 0;
    Dims starts(rank_, 0);
    for (size_t k = 0; k < map_.size(); ++k) {
      starts[static_cast<size_t>(map_[k])] =
          LoadIndex(indices_, first + static_cast<int64_t>(k) * step);
    }
    for (size_t i = 0; i < array_batch_.size(); ++i) {
      starts[static_cast<size_t>(array_batch_[i])] = full[static_cast<size_t>(indices_batch_[i])];
    }
    return starts;
  }

 private:
  const Literal& indices_;
  const Dims& map_;
  size_t rank_;
  const Dims &array_batch_, &indices_batch_;
  size_t vector_dim_;
  Dims strides_;
  int64_t count_ = 1;
};

// The strides of the dimensions of a gather's result (a scatter's updates): those of the batch,
// and for each dimension of the array the one that runs along it, 0 where none does.
struct SliceStrides {
  Dims batch, window;
};
SliceStrides SliceStridesOf(const Shape& slices, const Dims& window_dims, size_t array_rank,
                            const Dims& dropped, const Dims& array_batch) {
  Dims strides = RowMajorStrides(slices.dimensions());
  SliceStrides result;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (!absl::c_linear_search(window_dims, d)) result.batch.push_back(strides[d]);
  }
  size_t next = 0;
  for (size_t d = 0; d < array_rank; ++d) {
    bool has_window = !absl::c_linear_search(dropped, d) && !absl::c_linear_search(array_batch, d);
    result.window.push_back(has_window ? strides[static_cast<size_t>(window_dims[next++])] : 0);
  }
  return result;
}

int64_t DotProduct(const Dims& a, const Dims& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

// Calls body(a, b) with positions in two arrays for every coordinate within `dimensions`, in
// row-major order, until it returns false.
template <class Body>
void ForEachPair(const Dims& dimensions, Strided a, Strided b, Body body) {
  for (int64_t extent : dimensions) {
    if (extent <= 0) return;
  }
  Dims at(dimensions.size(), 0);
  for (;;) {
    if (!body(a.offset + DotProduct(at, a.strides), b.offset + DotProduct(at, b.strides))) return;
    size_t d = dimensions.size();
    while (d > 0 && ++at[d - 1] == dimensions[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

// Starts are clamped so that the slices are within the operand.
absl::StatusOr<Value> Gather(const Input& in) {
  const Literal& x = in.array(0);
  const auto& attrs = in.instruction.attrs<GatherAttrs>();
  Literal result = NewResult(in);
  if (result.shape().element_count() == 0) return Value(std::move(result));
  const Dims &dimensions = x.shape().dimensions(), &sizes = attrs.slice_sizes;
  Starts starts(in.array(1), attrs.index_vector_dim, attrs.start_index_map, dimensions.size(),
                attrs.operand_batching_dims, attrs.start_indices_batching_dims);
  SliceStrides to = SliceStridesOf(result.shape(), attrs.offset_dims, dimensions.size(),
                                   attrs.collapsed_slice_dims, attrs.operand_batching_dims);
  Dims strides = RowMajorStrides(dimensions);
  for (int64_t i = 0; i < starts.count(); ++i) {
    Dims batch = starts.Batch(i), start = starts.At(batch);
    for (size_t d = 0; d < start.size(); ++d) {
      start[d] = std::clamp<int64_t>(start[d], 0, dimensions[d] - sizes[d]);
    }
    CopyStrided(sizes, x, {DotProduct(start, strides), strides}, result,
                {DotProduct(batch, to.batch), to.window});
  }
  return Value(std::move(result));
}

// Index vectors in row-major order, and for each its window in row-major order; a window that is
// not wholly inside the inputs is dropped, as XLA does (the specification drops elements, each by
// itself). The specification leaves the order open; this one is that of every device.
absl::StatusOr<Value> Scatter(const Input& in) {
  const size_t inputs = in.operands.size() / 2;
  const auto& attrs = in.instruction.attrs<ScatterAttrs>();
  const HloComputation& combine = *in.called(0);
  // Inputs and updates in the types in which the computation combines, which may be wider.
  std::vector<Literal> results, updates;
  for (size_t i = 0; i < inputs; ++i) {
    ElementType t = combine.parameter(i)->shape().element_type();
    Value& operand = in.operands[i];
    if (operand.array().shape().element_type() != t) {
      results.push_back(ConvertTo(operand.array(), t));
    } else if (Literal* own = operand.Unshared()) {
      results.push_back(std::move(*own));
    } else {
      results.push_back(operand.array());
    }
    updates.push_back(ConvertTo(in.array(inputs + 1 + i), t));
  }
  const Shape &array = results[0].shape(), &slices = updates[0].shape();
  const Dims& dimensions = array.dimensions();
  Starts starts(in.array(inputs), attrs.index_vector_dim, attrs.scatter_dims_to_operand_dims,
                dimensions.size(), attrs.input_batching_dims, attrs.scatter_indices_batching_dims);
  SliceStrides from = SliceStridesOf(slices, attrs.update_window_dims, dimensions.size(),
                                     attrs.inserted_window_dims, attrs.input_batching_dims);
  Dims sizes, strides = RowMajorStrides(dimensions);
  size_t next = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    bool has_window = !absl::c_linear_search(attrs.inserted_window_dims, d) &&
                      !absl::c_linear_search(attrs.input_batching_dims, d);
    sizes.push_back(has_window ? slices.dimension(attrs.update_window_dims[next++]) : 1);
  }

  const ElementType t = array.element_type();
  const SimpleReducer simple = inputs == 1 ? SimpleReducerOf(combine, t) : SimpleReducer{};
  const bool replaces = inputs == 1 && combine.root() == combine.parameter(1);
  absl::Status status;
  // The elements of one window.
  auto combine_window = [&](const Dims& counts, const Strided& to, const Strided& update) {
    if (replaces) return CopyStrided(counts, updates[0], update, results[0], to);
    if (simple.kernel) {
      return VisitWide(t, [&](auto wide) {
        using W = decltype(wide);
        if (!Has(*simple.kernel, wide)) {
          status = Unimplemented("scatter of {}", Name(t));
          return;
        }
        ForEachPair(counts, to, update, [&](int64_t at, int64_t from_at) {
          W current = LoadOne<W>(results[0], at), x = LoadOne<W>(updates[0], from_at);
          if (simple.swapped) std::swap(current, x);
          W combined = RoundTo(t, Apply(*simple.kernel, BitWidth(t), current, x));
          Store(results[0], at, 1, &combined);
          return true;
        });
      });
    }
    ForEachPair(counts, to, update, [&](int64_t at, int64_t from_at) {
      std::vector<Value> arguments;
      for (const Literal& r : results) arguments.emplace_back(Scalar(r, at));
      for (const Literal& u : updates) arguments.emplace_back(Scalar(u, from_at));
      auto combined = in.evaluator.Call(&combine, std::move(arguments));
      status = combined.status();
      if (!status.ok()) return false;
      for (size_t i = 0; i < inputs; ++i) {
        const Value& r = combined->is_array() ? *combined : combined->tuple()[i];
        CopyStrided({}, r.array(), {}, results[i], {at, {}});
      }
      return true;
    });
  };
  for (int64_t i = 0; slices.element_count() > 0 && i < starts.count(); ++i) {
    const Dims batch = starts.Batch(i), start = starts.At(batch);
    bool inside = true;
    for (size_t d = 0; d < dimensions.size(); ++d)
      inside &= start[d] >= 0 && start[d] <= dimensions[d] - sizes[d];
    if (!inside) continue;
    combine_window(sizes, {DotProduct(start, strides), strides},
                   {DotProduct(batch, from.batch), from.window});
    if (!status.ok()) return status;
  }
  if (inputs == 1) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& r : results) elements.emplace_back(std::move(r));
  return Value(std::move(elements));
}

}  // namespace sinter::eval
