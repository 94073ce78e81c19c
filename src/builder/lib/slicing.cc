#include "sinter/lib/slicing.h"

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

// `minor` after as many of `major` as make up the rank.
template <class T>
absl::StatusOr<std::vector<T>> Completed(std::vector<T> major, absl::Span<const T> minor) {
  if (minor.size() > major.size()) {
    return InvalidArgument("{} minor dimensions of an operand of rank {}", minor.size(),
                           major.size());
  }
  std::copy(minor.begin(), minor.end(), major.end() - static_cast<int64_t>(minor.size()));
  return major;
}

absl::StatusOr<std::vector<Op>> CompletedStarts(Builder* b, const Shape& shape,
                                                absl::Span<const Op> starts) {
  // Start indices are of one type.
  ElementType type = ElementType::S32;
  if (!starts.empty()) {
    ASSIGN_OR_RETURN(Shape start, b->GetShape(starts[0]));
    type = start.element_type();
  }
  return Completed(std::vector<Op>(static_cast<size_t>(shape.rank()), Zero(b, type)), starts);
}

absl::StatusOr<Shape> IndexShape(Op index, const Shape& input, int64_t dim) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(index));
  if (!IsInteger(shape.element_type()))
    return InvalidArgument("the index is {}, not integers", shape.ToString());
  if (dim < 0 || dim >= input.rank())
    return InvalidArgument("dimension {} of {}", dim, input.ToString());
  return shape;
}

// The sizes of the index with that of the input's dimension `dim` before its own, and what the
// index's dimensions are there.
struct Compared {
  std::vector<int64_t> sizes, index_dims;
};
Compared CompareAlong(int64_t dim, const Shape& index, const Shape& input) {
  Compared c;
  for (int64_t i = 0; i < index.rank(); ++i) {
    if (i == dim) c.sizes.push_back(input.dimension(dim));
    c.sizes.push_back(index.dimension(i));
    c.index_dims.push_back(i < dim ? i : i + 1);
  }
  return c;
}
// Where the index is the position along `dim`.
Op Hits(Builder* b, Op index, const Shape& index_shape, const Compared& c, int64_t dim) {
  return Eq(BroadcastInDim(index, c.sizes, c.index_dims),
            Iota(b, Shape(index_shape.element_type(), c.sizes), dim));
}

}  // namespace

Op SliceInMinorDims(const Operand& x, absl::Span<const int64_t> start,
                    absl::Span<const int64_t> end) {
  return Compose("slice-in-minor-dims", x, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op()));
    if (start.size() != end.size())
      return InvalidArgument("{} starts for {} ends", start.size(), end.size());
    const std::vector<int64_t> zeros(static_cast<size_t>(shape.rank()), 0);
    ASSIGN_OR_RETURN(std::vector<int64_t> from, Completed(zeros, start));
    ASSIGN_OR_RETURN(std::vector<int64_t> to, Completed(shape.dimensions(), end));
    return Slice(x, from, to);
  });
}

Op UpdateSlice(const Operand& x, const Operand& update, absl::Span<const int64_t> start) {
  return Compose("update-slice", x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op()));
    if (static_cast<int64_t>(start.size()) != shape.rank())
      return InvalidArgument("{} starts for {}", start.size(), shape.ToString());
    std::vector<Op> starts;
    for (int64_t s : start) starts.push_back(ConstantR0<int64_t>(b, s));
    return DynamicUpdateSlice(x, update, starts);
  });
}

Op UpdateSliceInMinorDims(const Operand& x, const Operand& update,
                          absl::Span<const int64_t> start) {
  return Compose("update-slice-in-minor-dims", x, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op()));
    const std::vector<int64_t> zeros(static_cast<size_t>(shape.rank()), 0);
    ASSIGN_OR_RETURN(std::vector<int64_t> from, Completed(zeros, start));
    return UpdateSlice(x, update, from);
  });
}

Op DynamicSliceInMinorDims(const Operand& x, absl::Span<const Op> starts,
                           absl::Span<const int64_t> sizes) {
  return Compose("dynamic-slice-in-minor-dims", x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op()));
    if (starts.size() != sizes.size())
      return InvalidArgument("{} starts for {} sizes", starts.size(), sizes.size());
    ASSIGN_OR_RETURN(std::vector<Op> from, CompletedStarts(b, shape, starts));
    ASSIGN_OR_RETURN(std::vector<int64_t> all_sizes, Completed(shape.dimensions(), sizes));
    return DynamicSlice(x, from, all_sizes);
  });
}

Op DynamicUpdateSliceInMinorDims(const Operand& x, const Operand& update,
                                 absl::Span<const Op> starts) {
  return Compose("dynamic-update-slice-in-minor-dims", x, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op()));
    ASSIGN_OR_RETURN(std::vector<Op> from, CompletedStarts(b, shape, starts));
    return DynamicUpdateSlice(x, update, from);
  });
}

Op TorchGather(const Operand& input, const Operand& index, int64_t dim, bool sparse) {
  return Compose("torch-gather", input, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(input.op()));
    ASSIGN_OR_RETURN(Shape index_shape, IndexShape(index.op(), shape, dim));
    if (index_shape.rank() == 1) return TorchIndexSelect(input, index, 0);
    if (index_shape.rank() != shape.rank()) {
      return InvalidArgument("an index {} for {}: the ranks differ", index_shape.ToString(),
                             shape.ToString());
    }
    if (!sparse) {
      const Compared c = CompareAlong(dim, index_shape, shape);
      std::vector<int64_t> input_dims = Count(shape.rank());
      for (int64_t i = dim + 1; i < shape.rank(); ++i) ++input_dims[static_cast<size_t>(i)];
      Op found = Select(Hits(b, index.op(), index_shape, c, dim),
                        BroadcastInDim(input, c.sizes, input_dims),
                        Zeros(b, Shape(shape.element_type(), c.sizes)));
      return Reduce(found, Zero(b, shape.element_type()),
                    CreateScalarIdentityWithZeroComputation(shape.element_type(), b), {dim});
    }
    std::vector<int64_t> column = index_shape.dimensions();
    column.push_back(1);
    std::vector<Op> components;
    GatherDimensionNumbers d;
    d.index_vector_dim = shape.rank();
    for (int64_t i = 0; i < shape.rank(); ++i) {
      components.push_back(i == dim ? Reshape(index, column)
                                    : Iota(b, Shape(index_shape.element_type(), column), i));
      d.collapsed_slice_dims.push_back(i);
      d.start_index_map.push_back(i);
    }
    const std::vector<int64_t> ones(static_cast<size_t>(shape.rank()), 1);
    return Gather(input, ConcatInDim(b, components, shape.rank()), d, ones);
  });
}

Op TorchScatterDense(const Operand& input, const Operand& index, const Operand& src, int64_t dim,
                     const std::function<Op(Op, Op)>& combiner) {
  return Compose("torch-scatter-dense", input, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(input.op()));
    ASSIGN_OR_RETURN(Shape index_shape, IndexShape(index.op(), shape, dim));
    const Compared c = CompareAlong(dim, index_shape, shape);
    Op hits =
        Select(Hits(b, index.op(), index_shape, c, dim), BroadcastInDim(src, c.sizes, c.index_dims),
               Zeros(b, Shape(shape.element_type(), c.sizes)));
    return combiner(input.op(), Reduce(hits, Zero(b, shape.element_type()), combiner, {dim + 1}));
  });
}

Op TorchIndexSelect(const Operand& input, const Operand& index, int64_t dim, int64_t batch_dims) {
  return Compose("torch-index-select", input, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(input.op()));
    ASSIGN_OR_RETURN(Shape index_shape, IndexShape(index.op(), shape, dim));
    if (batch_dims < 0 || batch_dims > std::min(dim, index_shape.rank())) {
      return InvalidArgument("{} batch dimensions of an index {} along dimension {}", batch_dims,
                             index_shape.ToString(), dim);
    }
    GatherDimensionNumbers d;
    d.index_vector_dim = index_shape.rank();
    d.start_index_map = {dim};
    d.collapsed_slice_dims = {dim};
    std::vector<int64_t> sizes = shape.dimensions();
    for (int64_t i = 0; i < shape.rank(); ++i) {
      const bool batched = i < batch_dims;
      if (batched) d.operand_batching_dims.push_back(i);
      if (batched) d.start_indices_batching_dims.push_back(i);
      if (batched || i == dim) sizes[static_cast<size_t>(i)] = 1;
      if (!batched && i != dim)
        d.offset_dims.push_back(i < dim ? i : i - 1 + index_shape.rank() - batch_dims);
    }
    return Gather(input, index, d, sizes);
  });
}

}  // namespace sinter
