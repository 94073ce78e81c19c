#include "passes/layout/split_array.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/short_dimensions.h"

namespace sinter::layout {
namespace {

// Products and sums that a product of matrices is written out to, and terms of one sum.
constexpr int64_t kMostProducts = 256, kMostTerms = 16;

// Sizes of runs of short dimensions between the long ones, multiplied.
Dims Runs(const SplitArray& s) {
  Dims runs{1};
  for (int64_t d = 0; d < static_cast<int64_t>(s.sizes.size()); ++d) {
    if (s.IsShort(d)) {
      runs.back() *= s.sizes[static_cast<size_t>(d)];
    } else {
      runs.push_back(1);
    }
  }
  return runs;
}

bool SameElsewhere(const Shape& x, const Shape& y, const SplitArray& split) {
  return absl::c_all_of(split.long_dims,
                        [&](int64_t d) { return x.dimension(d) == y.dimension(d); });
}

bool IsReducer(const HloInstruction& i) {
  const ElementType type = i.shape().element_type();
  const HloComputation& reducer = *i.called(0);
  return IsScalarComputation(reducer) && reducer.root()->shape() == Shape(type) &&
         absl::c_all_of(reducer.parameters(),
                        [&](const HloInstruction* p) { return p->shape() == Shape(type); }) &&
         absl::c_all_of(i.operands(), [&](const HloInstruction* o) {
           return o->shape().element_type() == type || i.op() == HloOpcode::Scatter;
         });
}

bool CanSplitDot(const HloInstruction& i, const SplitArray& x, const SplitArray& y,
                 const SplitArray& result) {
  const auto& a = i.attrs<DotAttrs>();
  const ElementType type = i.shape().element_type();
  if (BitWidth(type) < 32 || i.operand(0)->shape().element_type() != type ||
      i.operand(1)->shape().element_type() != type)
    return false;
  int64_t terms = 1;
  for (int64_t d : a.lhs_contracting_dims) {
    if (!x.IsShort(d)) return false;
    terms *= x.sizes[static_cast<size_t>(d)];
  }
  for (int64_t d : a.rhs_contracting_dims)
    if (!y.IsShort(d)) return false;
  // Both with long dimensions of their own are matrices, which are multiplied as such.
  auto has_own = [](const SplitArray& s, const Dims& batch) {
    return absl::c_any_of(s.long_dims, [&](int64_t d) { return !absl::c_linear_search(batch, d); });
  };
  return terms <= kMostTerms && terms * result.parts <= kMostProducts &&
         !(has_own(x, a.lhs_batch_dims) && has_own(y, a.rhs_batch_dims));
}

// Dimensions of [0, rank) that are in none of the lists.
Dims Without(int64_t rank, std::initializer_list<const Dims*> lists) {
  Dims rest;
  for (int64_t d = 0; d < rank; ++d) {
    if (absl::c_none_of(lists, [&](const Dims* l) { return absl::c_linear_search(*l, d); }))
      rest.push_back(d);
  }
  return rest;
}

// One that either gathers or scatters: `given` is the array of slices or windows.
struct RowAccess {
  const Shape &operand, &indices, &given;
  const Dims &window_dims, &dropped_dims, &batch_dims, &indices_batch_dims, &index_map;
  int64_t vector_dim;
};

std::optional<RowIndices> Read(const RowAccess& r) {
  const int64_t vectors_rank = r.indices.rank();
  if (r.index_map.size() != 1 || r.given.element_count() == 0 ||
      (r.vector_dim < vectors_rank && r.indices.dimension(r.vector_dim) != 1))
    return std::nullopt;
  RowIndices rows{r.index_map[0], Dims(static_cast<size_t>(r.operand.rank()), -1),
                  Dims(static_cast<size_t>(vectors_rank), -1)};
  const Dims window = Without(r.operand.rank(), {&r.dropped_dims, &r.batch_dims});
  const Dims vector{r.vector_dim};
  const Dims vectors = Without(vectors_rank, {&vector});
  const Dims places = Without(r.given.rank(), {&r.window_dims});
  for (size_t k = 0; k < window.size(); ++k) {
    const int64_t d = window[k], g = r.window_dims[k];
    rows.array[static_cast<size_t>(d)] = g;
    if (r.given.dimension(g) != (d == rows.axis ? 1 : r.operand.dimension(d))) return std::nullopt;
  }
  for (size_t k = 0; k < vectors.size(); ++k)
    rows.indices[static_cast<size_t>(vectors[k])] = places[k];
  for (size_t k = 0; k < r.batch_dims.size(); ++k) {
    rows.array[static_cast<size_t>(r.batch_dims[k])] =
        rows.indices[static_cast<size_t>(r.indices_batch_dims[k])];
  }
  // The axis is left out of the windows or of one element in them; so are others that are dropped.
  for (int64_t d : r.dropped_dims)
    if (d != rows.axis && r.operand.dimension(d) != 1) return std::nullopt;
  return rows;
}

bool CanSplitRows(const HloInstruction& i, const SplitArray& x) {
  const std::optional<RowIndices> rows = RowIndicesOf(i);
  if (!rows || !x.IsShort(rows->axis)) return false;
  // Long dimensions are those of the result, or of the updates.
  for (int64_t d : x.long_dims)
    if (rows->array[static_cast<size_t>(d)] < 0) return false;
  if (i.op() == HloOpcode::Gather) return true;
  const auto updates = SplitArray::Of(*i.operand(2));
  return updates && absl::c_all_of(updates->long_dims, [&](int64_t d) {
           return absl::c_linear_search(rows->array, d);
         });
}

bool KnowsPlaces(const HloInstruction& i, size_t first) {
  return std::all_of(i.operands().begin() + static_cast<ptrdiff_t>(first), i.operands().end(),
                     [](const HloInstruction* o) { return o->op() == HloOpcode::Constant; });
}

}  // namespace

std::optional<SplitArray> SplitArray::Of(const Shape& shape) {
  if (!shape.is_array() || shape.element_count() == 0 || BitWidth(shape.element_type()) < 8)
    return std::nullopt;
  SplitArray s;
  s.sizes = shape.dimensions();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t n = shape.dimension(d);
    (n <= kLongestSplit ? s.short_dims : s.long_dims).push_back(d);
    if (n <= kLongestSplit) {
      s.parts *= n;
      if (s.parts > kMostSplit) return std::nullopt;
    } else {
      s.part.push_back(n);
    }
  }
  return s;
}

std::optional<SplitArray> SplitArray::Of(const HloInstruction& x) {
  std::optional<SplitArray> s = Of(x.shape());
  if (x.op() != HloOpcode::Reshape) return s;
  const std::optional<SplitArray> from = Of(x.operand(0)->shape());
  if (!from || from->part.empty() || (s && s->part == from->part)) return s;
  // The long dimensions in turn; what is between them is short.
  SplitArray joined;
  joined.sizes = x.shape().dimensions();
  joined.part = from->part;
  joined.parts = from->parts;
  for (int64_t d = 0; d < x.shape().rank(); ++d) {
    const size_t next = joined.long_dims.size();
    const bool is_long = next < joined.part.size() && x.shape().dimension(d) == joined.part[next];
    (is_long ? joined.long_dims : joined.short_dims).push_back(d);
  }
  return joined.long_dims.size() == joined.part.size() && Runs(joined) == Runs(*from) ? joined : s;
}

bool SplitArray::IsShort(int64_t d) const { return absl::c_linear_search(short_dims, d); }

int64_t SplitArray::PartElements() const {
  int64_t n = 1;
  for (int64_t size : part) n *= size;
  return n;
}

Dims SplitArray::IndexOf(int64_t part_number) const {
  Dims index(sizes.size(), 0);
  for (size_t k = short_dims.size(); k-- > 0;) {
    const auto d = static_cast<size_t>(short_dims[k]);
    index[d] = part_number % sizes[d];
    part_number /= sizes[d];
  }
  return index;
}

int64_t SplitArray::PartAt(const Dims& index) const {
  int64_t number = 0;
  for (int64_t d : short_dims)
    number = number * sizes[static_cast<size_t>(d)] + index[static_cast<size_t>(d)];
  return number;
}

int64_t SplitArray::PartDimension(int64_t d) const {
  return absl::c_find(long_dims, d) - long_dims.begin();
}

std::optional<RowIndices> RowIndicesOf(const HloInstruction& i) {
  const Shape &operand = i.operand(0)->shape(), &indices = i.operand(1)->shape();
  if (i.op() == HloOpcode::Gather) {
    const auto& a = i.attrs<GatherAttrs>();
    return Read({operand, indices, i.shape(), a.offset_dims, a.collapsed_slice_dims,
                 a.operand_batching_dims, a.start_indices_batching_dims, a.start_index_map,
                 a.index_vector_dim});
  }
  const auto& a = i.attrs<ScatterAttrs>();
  if (i.operands().size() != 3 || i.shape().is_tuple()) return std::nullopt;
  return Read({operand, indices, i.operand(2)->shape(), a.update_window_dims,
               a.inserted_window_dims, a.input_batching_dims, a.scatter_indices_batching_dims,
               a.scatter_dims_to_operand_dims, a.index_vector_dim});
}

bool CanSplit(const HloInstruction& i) {
  const auto result = SplitArray::Of(i);
  if (!result || i.HasSideEffect()) return false;
  std::vector<SplitArray> operands;
  for (const HloInstruction* o : i.operands()) {
    auto split = SplitArray::Of(*o);
    if (!split) return false;
    operands.push_back(*std::move(split));
  }
  // Reshapes may have other long dimensions than their shape says (Of). Below, what is said of
  // dimensions by their lengths is said of arrays that have not.
  auto as_shaped = [&] {
    for (size_t k = 0; k < operands.size(); ++k) {
      const auto shaped = SplitArray::Of(i.operand(k)->shape());
      if (!shaped || shaped->long_dims != operands[k].long_dims) return false;
    }
    return true;
  };
  auto long_dims_stay = [&] {
    return absl::c_all_of(
        operands, [&](const SplitArray& s) { return s.sizes.empty() || s.part == result->part; });
  };
  auto same_long_dims = [&] {
    return absl::c_all_of(operands, [&](const SplitArray& s) {
      return s.sizes.empty() || s.long_dims == result->long_dims;
    });
  };
  switch (i.op()) {
    case HloOpcode::Iota:
      return true;
    case HloOpcode::Broadcast:
      return as_shaped() && absl::c_all_of(operands[0].long_dims, [&](int64_t d) {
               return !result->IsShort(i.dimensions()[static_cast<size_t>(d)]);
             });
    case HloOpcode::Transpose:
      return as_shaped();
    case HloOpcode::Reshape:
      return long_dims_stay() && Runs(operands[0]) == Runs(*result);
    case HloOpcode::Reverse:
      return operands[0].long_dims == result->long_dims &&
             absl::c_all_of(i.dimensions(), [&](int64_t d) { return result->IsShort(d); });
    case HloOpcode::Slice:
    case HloOpcode::Pad: {
      if (operands[0].long_dims != result->long_dims ||
          !SameElsewhere(i.operand(0)->shape(), i.shape(), *result))
        return false;
      if (i.op() == HloOpcode::Slice) return true;
      const auto& pad = i.attrs<PadAttrs>();
      return absl::c_all_of(result->long_dims, [&](int64_t d) {
        return pad.low[static_cast<size_t>(d)] == 0 && pad.interior[static_cast<size_t>(d)] == 0;
      });
    }
    case HloOpcode::Concatenate:
      return result->IsShort(i.dimensions()[0]) && same_long_dims();
    case HloOpcode::DynamicUpdateSlice:
      return same_long_dims() && long_dims_stay() && KnowsPlaces(i, 2);
    case HloOpcode::Reduce:
      // Narrow floats would be rounded after each of many terms.
      return i.operands().size() == 2 && IsReducer(i) && as_shaped() &&
             !(IsFloat(i.shape().element_type()) && BitWidth(i.shape().element_type()) < 32) &&
             absl::c_all_of(i.dimensions(), [&](int64_t d) { return operands[0].IsShort(d); });
    case HloOpcode::Dot:
      return as_shaped() && CanSplitDot(i, operands[0], operands[1], *result);
    case HloOpcode::Gather:
      return as_shaped() && CanSplitRows(i, operands[0]);
    case HloOpcode::Scatter:
      return i.operands().size() == 3 && IsReducer(i) && as_shaped() &&
             i.operand(2)->shape().element_type() == i.shape().element_type() &&
             CanSplitRows(i, operands[0]);
    default:
      return (IsElementwise(i.op()) || IsElementwiseBitcast(i)) && same_long_dims();
  }
}

}  // namespace sinter::layout
