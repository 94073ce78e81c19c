// Gathers, scatters and dynamic slices whose positions are known, or that are a single slice:
// slices, reverses and updates of a part, which fuse, and which no index array is read for.
// Semantics of starts: StableHLO specification, gather, scatter, dynamic_slice.
#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/inline_elementwise.h"
#include "passes/simplify/index_windows.h"
#include "passes/simplify/known_value.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

using Starts = std::vector<HloInstruction*>;

HloInstruction* Index(HloComputation& c, int64_t value) {
  return c.AddConstant(Literal::R0(value));
}

Shape Of(const HloInstruction* x, Dims dims) {
  return Shape(x->shape().element_type(), std::move(dims));
}
HloInstruction* DynamicSlice(HloComputation& c, HloInstruction* i) {
  const Shape& from = i->operand(0)->shape();
  Dims starts, limits;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t n = i->shape().dimension(d), last = from.dimension(d) - n;
    std::optional<int64_t> start = KnownIndex(i->operand(static_cast<size_t>(d) + 1));
    if (last == 0) start = 0;
    if (!start) return nullptr;
    starts.push_back(std::clamp<int64_t>(*start, 0, last));
    limits.push_back(starts.back() + n);
  }
  return AddSlice(c, i->operand(0), starts, limits, Dims(starts.size(), 1));
}

// A part of a slice whose place along that dimension is known, as the slice takes all of it.
HloInstruction* SliceOfDynamicSlice(HloComputation& c, HloInstruction* i) {
  const HloInstruction* slice = i->operand(0);
  if (slice->op() != HloOpcode::DynamicSlice) return nullptr;
  const auto& a = i->attrs<SliceAttrs>();
  HloInstruction* x = slice->operand(0);
  Starts operands = slice->operands();
  auto is_part = [&](int64_t d) { return i->shape().dimension(d) != slice->shape().dimension(d); };
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    if (!is_part(d)) continue;
    const ElementType type = operands[at + 1]->shape().element_type();
    const int bits = BitWidth(type) - (IsSigned(type) ? 1 : 0);
    if (a.strides[at] != 1 || slice->shape().dimension(d) != x->shape().dimension(d) ||
        (bits < 63 && a.starts[at] >> bits != 0))
      return nullptr;
  }
  for (int64_t d = 0; d < i->shape().rank(); ++d) {
    if (!is_part(d)) continue;
    HloInstruction*& start = operands[static_cast<size_t>(d) + 1];
    // Starts are of one type.
    start = c.AddWithShape(HloOpcode::Convert, start->shape(),
                           {Index(c, a.starts[static_cast<size_t>(d)])});
  }
  const Dims& sizes = i->shape().dimensions();
  return c.AddWithShape(HloOpcode::DynamicSlice, i->shape(), operands, DynamicSliceAttrs{sizes});
}

// Whether `value` is computed, element by element and by moving elements, from elements of `x` that
// are not those in the part of it from `starts` on which `value` is to be written.
bool ReadsOtherElements(const HloInstruction* value, const HloInstruction* x, const Dims& starts) {
  constexpr size_t kMostVisited = 256;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> stack{value};
  while (!stack.empty() && seen.size() < kMostVisited) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (!seen.insert(i).second) continue;
    const bool moves = Info(i->op()).kind == OpKind::kIndexMap;
    if (!moves && !IsElementwise(i->op())) continue;
    if (i->op() == HloOpcode::Slice && i->operand(0) == x) {
      const bool same = i->attrs<SliceAttrs>().starts == starts && HasUnitStrides(*i);
      if (!same || i->shape().dimensions() != value->shape().dimensions()) return true;
      continue;
    }
    for (const HloInstruction* o : i->operands()) {
      if (o == x && moves) return true;
      stack.push_back(o);
    }
  }
  return false;
}

// An update of everything. One of most of an array, by what is computed from its other elements
// (a stencil inside of borders), cannot be made in place: the new array is the update and borders
// around it, which are one kernel with what computes it.
HloInstruction* DynamicUpdateSlice(HloComputation& c, HloInstruction* i) {
  HloInstruction *x = i->operand(0), *update = i->operand(1);
  if (update->shape().dimensions() == i->shape().dimensions()) return update;
  if (2 * update->shape().element_count() < i->shape().element_count()) return nullptr;
  const Dims &sizes = update->shape().dimensions(), &whole = x->shape().dimensions();
  Dims starts;
  for (size_t d = 0; d < whole.size(); ++d) {
    const std::optional<int64_t> start = KnownIndex(i->operand(d + 2));
    if (!start && whole[d] != sizes[d]) return nullptr;
    starts.push_back(std::clamp<int64_t>(start.value_or(0), 0, whole[d] - sizes[d]));
  }
  if (!ReadsOtherElements(update, x, starts)) return nullptr;
  HloInstruction* all = update;
  for (size_t d = whole.size(); d-- > 0;) {
    std::vector<HloInstruction*> parts;
    auto border = [&](int64_t from, int64_t to) {
      if (from >= to) return;
      Dims low = starts, high = whole;
      for (size_t k = 0; k < whole.size(); ++k) {
        if (k < d) high[k] = starts[k] + sizes[k];
        if (k > d) low[k] = 0;
      }
      low[d] = from, high[d] = to;
      parts.push_back(AddSlice(c, x, low, high, Dims(whole.size(), 1)));
    };
    border(0, starts[d]);
    parts.push_back(all);
    border(starts[d] + sizes[d], whole[d]);
    if (parts.size() == 1) continue;
    Dims dims = all->shape().dimensions();
    dims[d] = whole[d];
    all = c.AddWithShape(HloOpcode::Concatenate, Of(x, dims), parts,
                         DimensionsAttrs{{static_cast<int64_t>(d)}});
  }
  return all;
}

// What gathers and scatters say of their indices.
struct Indices {
  HloInstruction* array;
  int64_t vector_dim;
  int64_t components;  // of an index vector
  int64_t vectors;     // how many there are

  Indices(HloInstruction* array, int64_t vector_dim) : array(array), vector_dim(vector_dim) {
    const Shape& s = array->shape();
    components = vector_dim == s.rank() ? 1 : s.dimension(vector_dim);
    vectors = 1;
    for (int64_t d = 0; d < s.rank(); ++d) vectors *= d == vector_dim ? 1 : s.dimension(d);
  }
  // Component k of the only vector, as a scalar.
  HloInstruction* Component(HloComputation& c, int64_t k) const {
    HloInstruction* flat = AddReshape(c, array, {components});
    return AddReshape(c, AddSlice(c, flat, {k}, {k + 1}, {1}), {});
  }
  // The vectors in row-major order; nothing if they are not known.
  std::optional<std::vector<Dims>> Known() const {
    const std::optional<Literal> values = KnownIntegers(array);
    if (!values) return std::nullopt;
    int64_t inner = 1;
    for (int64_t d = vector_dim + 1; d < array->shape().rank(); ++d)
      inner *= array->shape().dimension(d);
    std::vector<Dims> all(static_cast<size_t>(vectors));
    for (int64_t v = 0; v < vectors; ++v) {
      for (int64_t k = 0; k < components; ++k) {
        const int64_t row = v / inner * components + k;
        all[static_cast<size_t>(v)].push_back(IndexAt(*values, row * inner + v % inner));
      }
    }
    return all;
  }
};

// first, first + step, first + 2 step ...
struct Progression {
  int64_t first = 0, step = 1;
};
std::optional<Progression> ProgressionOf(const std::vector<int64_t>& x) {
  if (x.empty()) return std::nullopt;
  const Progression p{x[0], x.size() > 1 ? x[1] - x[0] : 1};
  for (size_t k = 0; k < x.size(); ++k) {
    if (x[k] != p.first + static_cast<int64_t>(k) * p.step) return std::nullopt;
  }
  return p;
}

// Whether ascending positions follow each other without a gap; where the first is.
std::optional<size_t> Run(const Dims& positions) {
  for (size_t k = 1; k < positions.size(); ++k) {
    if (positions[k] != positions[k - 1] + 1) return std::nullopt;
  }
  return positions.empty() ? 0 : static_cast<size_t>(positions[0]);
}

// One index vector: a dynamic-slice. Both clamp its starts.
HloInstruction* GatherOfOne(HloComputation& c, HloInstruction* i, const Indices& indices) {
  const auto& a = i->attrs<GatherAttrs>();
  HloInstruction* x = i->operand(0);
  Starts operands{x};
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    const auto k = absl::c_find(a.start_index_map, d) - a.start_index_map.begin();
    operands.push_back(
        k == static_cast<int64_t>(a.start_index_map.size()) ? nullptr : indices.Component(c, k));
  }
  for (HloInstruction*& o : operands) {
    if (o != nullptr) continue;
    o = c.AddConstant(Literal(Shape(indices.array->shape().element_type())));  // zero
  }
  HloInstruction* slice = c.AddWithShape(HloOpcode::DynamicSlice, Of(x, a.slice_sizes), operands,
                                         DynamicSliceAttrs{a.slice_sizes});
  return AddReshape(c, slice, i->shape().dimensions());
}

// Elements at equal distances in one dimension, or in neighbouring ones as one (a diagonal): a
// slice, backwards if they descend.
HloInstruction* GatherOfMany(HloComputation& c, HloInstruction* i, const Indices& indices) {
  const auto& a = i->attrs<GatherAttrs>();
  if (a.start_index_map.empty() || !a.operand_batching_dims.empty()) return nullptr;
  const auto axis = static_cast<size_t>(a.start_index_map[0]);
  HloInstruction* x = i->operand(0);
  Dims from = x->shape().dimensions(), indexed;
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    const int64_t d = a.start_index_map[k];
    if (d != static_cast<int64_t>(axis + k) || !absl::c_linear_search(a.collapsed_slice_dims, d))
      return nullptr;
    indexed.push_back(x->shape().dimension(d));
  }
  for (size_t d = 0; d < from.size(); ++d) {
    const bool is_indexed = d >= axis && d < axis + indexed.size();
    if (a.slice_sizes[d] != (is_indexed ? 1 : from[d])) return nullptr;
  }
  const std::optional<std::vector<Dims>> known = indices.Known();
  if (!known) return nullptr;
  std::vector<int64_t> places;  // in the dimensions as one
  for (const Dims& vector : *known) {
    int64_t place = 0;
    for (size_t k = 0; k < indexed.size(); ++k)
      place = place * indexed[k] + std::clamp<int64_t>(vector[k], 0, indexed[k] - 1);
    places.push_back(place);
  }
  const std::optional<Progression> p = ProgressionOf(places);
  // The result's dimensions that count index vectors.
  const std::optional<size_t> to = Run(Others(a.offset_dims, i->shape().rank()));
  if (!p || p->step == 0 || !to) return nullptr;
  // The dimensions as one; the collapsed ones are those of the operand then.
  Dims collapsed = a.collapsed_slice_dims;
  const auto joined = static_cast<int64_t>(indexed.size()) - 1;
  if (joined > 0) {
    from.erase(from.begin() + static_cast<ptrdiff_t>(axis) + 1,
               from.begin() + static_cast<ptrdiff_t>(axis) + 1 + joined);
    for (int64_t n : absl::MakeConstSpan(indexed).subspan(1)) from[axis] *= n;
    collapsed.clear();
    for (int64_t d : a.collapsed_slice_dims) {
      if (d <= static_cast<int64_t>(axis)) collapsed.push_back(d);
      if (d > static_cast<int64_t>(axis) + joined) collapsed.push_back(d - joined);
    }
    x = AddReshape(c, x, from);
  }
  const int64_t n = indices.vectors, last = p->first + (n - 1) * p->step;
  Dims starts(from.size(), 0), limits = from, strides(from.size(), 1);
  starts[axis] = std::min(p->first, last);
  limits[axis] = std::max(p->first, last) + 1;
  strides[axis] = std::abs(p->step);
  HloInstruction* y = AddSlice(c, x, starts, limits, strides);
  if (p->step < 0) {
    y = c.AddWithShape(HloOpcode::Reverse, y->shape(), {y},
                       DimensionsAttrs{{static_cast<int64_t>(axis)}});
  }
  // The axis goes before as many of the others as the result has before its index vectors.
  Dims order = Others({static_cast<int64_t>(axis)}, x->shape().rank());
  size_t before = 0, kept = 0;
  for (int64_t d : order) {
    if (kept == *to) break;
    kept += absl::c_linear_search(collapsed, d) ? 0 : 1;
    ++before;
  }
  order.insert(order.begin() + static_cast<ptrdiff_t>(before), static_cast<int64_t>(axis));
  if (!absl::c_is_sorted(order)) {
    Dims dims;
    for (int64_t d : order) dims.push_back(y->shape().dimension(d));
    y = c.AddWithShape(HloOpcode::Transpose, Of(y, dims), {y}, DimensionsAttrs{order});
  }
  return AddReshape(c, y, i->shape().dimensions());
}

HloInstruction* Gather(HloComputation& c, HloInstruction* i) {
  const auto& a = i->attrs<GatherAttrs>();
  if (i->shape().element_count() == 0 || i->operand(0)->shape().element_count() == 0 ||
      absl::c_linear_search(a.slice_sizes, 0))  // without a slice to take there are zeros
    return nullptr;
  const Indices indices(i->operand(1), a.index_vector_dim);
  if (indices.vectors == 1) return GatherOfOne(c, i, indices);
  if (HloInstruction* with = GatherOfMany(c, i, indices)) return with;
  return CollapseUnitsOfGather(c, i);
}

// What a scatter of whole windows that lie side by side updates: a part of the input, from
// `starts`. The updates become it by a reshape to `reshaped` and a transpose by `order`.
struct Part {
  Dims starts, reshaped, order;

  int64_t size(size_t d) const { return reshaped[static_cast<size_t>(order[d])]; }
  HloInstruction* Update(HloComputation& c, HloInstruction* updates) const {
    HloInstruction* x = AddReshape(c, updates, reshaped);
    if (absl::c_is_sorted(order)) return x;
    Dims dims;
    for (size_t d = 0; d < order.size(); ++d) dims.push_back(size(d));
    return c.AddWithShape(HloOpcode::Transpose, Of(x, dims), {x}, DimensionsAttrs{order});
  }
};

// One window at a known place.
std::optional<Part> WindowOf(const HloInstruction& i, const Indices& indices) {
  const auto& a = i.attrs<ScatterAttrs>();
  const int64_t rank = i.operand(0)->shape().rank();
  const std::optional<Literal> values = KnownIntegers(indices.array);
  if (!values) return std::nullopt;
  Part part{Dims(static_cast<size_t>(rank)), {}, {}};
  for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
    part.starts[static_cast<size_t>(a.scatter_dims_to_operand_dims[k])] =
        IndexAt(*values, static_cast<int64_t>(k));
  }
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const bool one = absl::c_linear_search(a.inserted_window_dims, d) ||
                     absl::c_linear_search(a.input_batching_dims, d);
    part.reshaped.push_back(one ? 1
                                : i.operand(2)->shape().dimension(a.update_window_dims[next++]));
    part.order.push_back(d);
  }
  return part;
}

// Single elements of one dimension that follow each other.
std::optional<Part> RunOf(const HloInstruction& i, const Indices& indices) {
  const auto& a = i.attrs<ScatterAttrs>();
  const Shape &input = i.operand(0)->shape(), &updates = i.operand(2)->shape();
  if (a.scatter_dims_to_operand_dims.size() != 1 || !a.input_batching_dims.empty() ||
      a.inserted_window_dims != a.scatter_dims_to_operand_dims)
    return std::nullopt;
  const int64_t axis = a.scatter_dims_to_operand_dims[0];
  const std::optional<std::vector<Dims>> known = indices.Known();
  if (!known) return std::nullopt;
  std::vector<int64_t> places;
  for (const Dims& vector : *known) places.push_back(vector[0]);
  const std::optional<Progression> p = ProgressionOf(places);
  const std::optional<size_t> from = Run(Others(a.update_window_dims, updates.rank()));
  if (!p || p->step != 1 || !from) return std::nullopt;
  // Window dimensions in order, with one for all index vectors where theirs begin; then the axis
  // where it belongs.
  Part part{Dims(static_cast<size_t>(input.rank())), {}, {}};
  part.starts[static_cast<size_t>(axis)] = p->first;
  for (int64_t d : a.update_window_dims) part.reshaped.push_back(updates.dimension(d));
  const auto vectors = static_cast<int64_t>(*from);
  part.reshaped.insert(part.reshaped.begin() + vectors, indices.vectors);
  for (int64_t d = 0; d < input.rank(); ++d) {
    const int64_t window = d - (d > axis ? 1 : 0);  // which of the window's dimensions
    part.order.push_back(d == axis ? vectors : window + (window >= vectors ? 1 : 0));
  }
  return part;
}

// A part that is updated as a whole: a dynamic-update-slice with what the computation makes of the
// old elements and the new ones. Of a window that lies partly outside nothing is left.
HloInstruction* Scatter(HloComputation& c, HloInstruction* i) {
  if (i->shape().is_tuple() || i->operands().size() != 3 ||
      i->operand(2)->shape().element_count() == 0)
    return nullptr;
  const HloComputation& combine = *i->called(0);
  HloInstruction* x = i->operand(0);
  const ElementType type = x->shape().element_type();
  if (!IsScalarComputation(combine) || combine.root()->shape().element_type() != type ||
      combine.parameter(1)->shape().element_type() != i->operand(2)->shape().element_type() ||
      combine.parameter(0)->shape().element_type() != type)
    return nullptr;
  const Indices indices(i->operand(1), i->attrs<ScatterAttrs>().index_vector_dim);
  const std::optional<Part> part =
      indices.vectors == 1 ? WindowOf(*i, indices) : RunOf(*i, indices);
  if (!part) return nullptr;
  Dims sizes, limits;
  for (size_t d = 0; d < part->starts.size(); ++d) {
    const int64_t n = x->shape().dimension(static_cast<int64_t>(d));
    sizes.push_back(part->size(d));
    if (part->starts[d] < 0 || part->starts[d] > n - sizes[d])
      return indices.vectors == 1 ? x : nullptr;
    limits.push_back(part->starts[d] + sizes[d]);
  }
  HloInstruction* old = AddSlice(c, x, part->starts, limits, Dims(sizes.size(), 1));
  HloInstruction* update = part->Update(c, i->operand(2));
  Starts operands{x, InlineElementwise(c, combine, {old, update}, sizes)};
  for (int64_t start : part->starts) operands.push_back(Index(c, start));
  return c.AddWithShape(HloOpcode::DynamicUpdateSlice, x->shape(), operands);
}

HloInstruction* SimplifyIndexing(HloComputation& c, HloInstruction* i) {
  switch (i->op()) {
    case HloOpcode::DynamicSlice:
      return DynamicSlice(c, i);
    case HloOpcode::DynamicUpdateSlice:
      return DynamicUpdateSlice(c, i);
    case HloOpcode::Slice:
      return SliceOfDynamicSlice(c, i);
    case HloOpcode::Gather:
      return Gather(c, i);
    case HloOpcode::Scatter: {
      HloInstruction* with = Scatter(c, i);
      return with != nullptr ? with : CollapseUnitsOfScatter(c, i);
    }
    default:
      return nullptr;
  }
}

HloInstruction* SimplifyNamed(HloComputation& c, HloInstruction* i) {
  HloInstruction* with = SimplifyIndexing(c, i);
  if (with != nullptr && with->metadata() == Metadata()) with->set_metadata(i->metadata());
  return with;
}

}  // namespace

std::unique_ptr<Pass> MakeIndexingPass() { return MakeRulesPass("indexing", SimplifyNamed); }

}  // namespace sinter
