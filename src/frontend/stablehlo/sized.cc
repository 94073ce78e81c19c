// Operations whose sizes are known only when they run: arrays of the result's bounds, whose dynamic
// dimensions are then given their sizes.
#include <algorithm>
#include <optional>

#include "frontend/stablehlo/lowering.h"
#include "ir/ops/window.h"

namespace sinter::stablehlo {
namespace {

// Adds the instructions that an operation becomes; the first error stays.
class Sizes {
 public:
  Sizes(Lowering& l, const Operation& op) : l_(l), op_(op) {}

  const absl::Status& status() const { return status_; }

  HloInstruction* Add(HloOpcode kind, absl::Span<HloInstruction* const> operands,
                      sinter::Attributes attributes = NoAttrs{}, const Shape* declared = nullptr) {
    if (!status_.ok()) return nullptr;
    auto added = l_.Add(op_, kind, operands, std::move(attributes), {}, declared);
    status_ = added.status();
    return added.ok() ? *added : nullptr;
  }
  HloInstruction* Add(HloOpcode kind, std::initializer_list<HloInstruction*> operands,
                      sinter::Attributes attributes = NoAttrs{}, const Shape* declared = nullptr) {
    return Add(kind, absl::Span<HloInstruction* const>(operands.begin(), operands.size()),
               std::move(attributes), declared);
  }
  HloInstruction* Scalar(int64_t value) {
    return Add(HloOpcode::Constant, {},
               ConstantAttrs{std::make_shared<const Literal>(
                   Literal::R0<int32_t>(static_cast<int32_t>(value)))});
  }
  HloInstruction* Broadcast(HloInstruction* x, const Dims& sizes, const Dims& dims) {
    if (!status_.ok()) return nullptr;
    const Shape shape(x->shape().element_type(), sizes);
    return Add(HloOpcode::Broadcast, {x}, DimensionsAttrs{dims}, &shape);
  }

  // Each element of a vector of integers as a scalar of s32.
  std::vector<HloInstruction*> Scalars(size_t operand) {
    return Scalars(operand, l_.Operand(op_, operand));
  }
  // The same of what has been made of that operand.
  std::vector<HloInstruction*> Scalars(size_t operand, HloInstruction* vector) {
    std::vector<HloInstruction*> scalars;
    if (!status_.ok()) return scalars;
    const Shape& shape = vector->shape();
    if (shape.rank() != 1 || !IsInteger(shape.element_type()) || !shape.is_static()) {
      status_ = l_.Invalid(op_, "operand {} must be a vector of integers, not {}", operand,
                           shape.ToString());
      return scalars;
    }
    for (int64_t k = 0; k < shape.dimension(0) && status_.ok(); ++k) {
      HloInstruction* x = ScalarAt(vector, k);
      if (!status_.ok()) break;
      const Shape s32(ElementType::S32);
      if (x->shape().element_type() != ElementType::S32)
        x = Add(HloOpcode::Convert, {x}, NoAttrs{}, &s32);
      scalars.push_back(x);
    }
    return scalars;
  }

  HloInstruction* SizeOf(HloInstruction* x, int64_t d) {
    if (!x->shape().is_dynamic(d)) return Scalar(x->shape().dimension(d));
    return Add(HloOpcode::GetDimensionSize, {x}, DimensionsAttrs{{d}});
  }
  // Of static dimensions, zeros where there was nothing.
  HloInstruction* Whole(HloInstruction* x) {
    for (int64_t d = 0; status_.ok() && d < x->shape().rank(); ++d) x = Whole(x, d);
    return x;
  }
  // The same of one dimension.
  HloInstruction* Whole(HloInstruction* x, int64_t d) {
    if (!status_.ok() || !x->shape().is_dynamic(d)) return x;
    Shape shape = x->shape();
    shape.set_dynamic(d, false);
    return Add(HloOpcode::SetDimensionSize, {x, Scalar(shape.dimension(d))}, DimensionsAttrs{{d}},
               &shape);
  }
  HloInstruction* Zero(ElementType type) {
    return Add(HloOpcode::Constant, {},
               ConstantAttrs{std::make_shared<const Literal>(Literal(Shape(type)))});
  }
  // An array as `shape` says, but with `size` elements along dimension d.
  HloInstruction* Zeros(Shape shape, int64_t size, int64_t d) {
    shape.set_dynamic(d, false);
    shape.set_dimension(d, size);
    return Broadcast(Zero(shape.element_type()), shape.dimensions(), {});
  }
  // The dimension d of x, of `counts` elements, spread by gaps of `inner` elements behind `low`
  // others, to `extent`: element r is element (r - low) / (inner + 1), where that is one. Elsewhere
  // it is anything, and `inside`, a predicate of one dimension, false.
  HloInstruction* Spread(HloInstruction* x, int64_t d, HloInstruction* count, HloInstruction* low,
                         HloInstruction* inner, int64_t extent, HloInstruction** inside) {
    const Shape line(ElementType::S32, {extent});
    auto repeat = [&](HloInstruction* scalar) { return Broadcast(scalar, line.dimensions(), {}); };
    auto compare = [&](HloInstruction* a, HloInstruction* b, ComparisonDirection direction) {
      return Add(HloOpcode::Compare, {a, b}, CompareAttrs{direction});
    };
    HloInstruction* r = Add(HloOpcode::Iota, {}, IotaAttrs{0}, &line);
    r = Add(HloOpcode::Subtract, {r, repeat(low)});
    HloInstruction* step = repeat(Add(HloOpcode::Add, {inner, Scalar(1)}));
    HloInstruction* from = Add(HloOpcode::Divide, {r, step});
    HloInstruction *zero = repeat(Scalar(0)), *rest = Add(HloOpcode::Remainder, {r, step});
    *inside = Add(HloOpcode::And, {compare(rest, zero, ComparisonDirection::kEq),
                                   compare(r, zero, ComparisonDirection::kGe)});
    *inside =
        Add(HloOpcode::And, {*inside, compare(from, repeat(count), ComparisonDirection::kLt)});
    if (!status_.ok()) return nullptr;
    // Of nothing, nothing can be taken.
    return x->shape().dimension(d) == 0 ? Zeros(x->shape(), extent, d) : Take(x, d, from);
  }
  // Elements at these positions of dimension d, s32[n]: 0 where a position is outside.
  HloInstruction* Take(HloInstruction* x, int64_t d, HloInstruction* at) {
    if (!status_.ok()) return nullptr;
    GatherAttrs attrs;
    for (int64_t k = 0; k < x->shape().rank(); ++k) {
      if (k != d) attrs.offset_dims.push_back(k);
    }
    attrs.collapsed_slice_dims = attrs.start_index_map = {d};
    attrs.index_vector_dim = 1;
    attrs.slice_sizes = x->shape().dimensions();
    attrs.slice_sizes[static_cast<size_t>(d)] = 1;
    return Add(HloOpcode::Gather, {x, at}, std::move(attrs));
  }

  // Binds the result to `x`, of its bounds; its dynamic dimensions have these sizes.
  absl::Status SetResult(HloInstruction* x, const std::vector<HloInstruction*>& sizes) {
    x = WithSizes(x, l_.ResultShape(op_), sizes);
    RETURN_IF_ERROR(status_);
    return l_.SetResult(op_, x);
  }
  // `x`, of the bounds of `result`, of which dynamic dimensions have these sizes.
  HloInstruction* WithSizes(HloInstruction* x, const Shape& result,
                            const std::vector<HloInstruction*>& sizes) {
    if (status_.ok() && static_cast<int64_t>(sizes.size()) != result.rank())
      status_ = l_.Invalid(op_, "{} sizes for {} dimensions", sizes.size(), result.rank());
    for (int64_t d = 0; d < result.rank(); ++d) {
      if (!status_.ok() || !result.is_dynamic(d)) continue;
      x = Add(HloOpcode::SetDimensionSize, {x, sizes[static_cast<size_t>(d)]},
              DimensionsAttrs{{d}});
    }
    return x;
  }

 private:
  HloInstruction* ScalarAt(HloInstruction* vector, int64_t k) {
    const Shape scalar(vector->shape().element_type());
    if (vector->op() == HloOpcode::Concatenate) {
      for (HloInstruction* part : vector->operands()) {
        const int64_t size = part->shape().dimension(0);
        if (k < size) return ScalarAt(part, k);
        k -= size;
      }
    }
    if (vector->op() == HloOpcode::Reshape && vector->operand(0)->shape().is_scalar())
      return vector->operand(0);
    HloInstruction* one = vector;
    if (vector->shape().dimension(0) != 1)
      one = Add(HloOpcode::Slice, {vector}, SliceAttrs{{k}, {k + 1}, {1}});
    return Add(HloOpcode::Reshape, {one}, NoAttrs{}, &scalar);
  }

  Lowering& l_;
  const Operation& op_;
  absl::Status status_;
};

// The shape of the result of that number, which is the last, without anything dynamic. Where its
// type states no bound, that is the largest that its size can be, and at most what `most`, if it
// says anything, allows.
absl::StatusOr<Shape> Bounds(Lowering& l, const Operation& op,
                             const std::vector<HloInstruction*>& sizes, const Dims& most = {},
                             size_t which = 0) {
  RETURN_IF_ERROR(l.CheckCounts(op, op.operands.size(), which + 1));
  Shape result = l.ResultShape(op, which);
  if (static_cast<int64_t>(sizes.size()) != result.rank())
    return l.Invalid(op, "{} sizes for {} dimensions", sizes.size(), result.rank());
  bool inferred = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (result.dimension(dim) != Shape::kUnbounded) continue;
    const std::optional<SizeRange> range = l.ranges().Of(*sizes[d]);
    if (!range && most.empty()) {
      return l.Unsupported(op,
                           "sizes that depend on data, for a result without bounds: shapes of the "
                           "arguments may make them static");
    }
    int64_t bound = range ? range->most : most[d];
    if (!most.empty()) bound = std::min(bound, most[d]);
    bound = std::max<int64_t>(bound, 0);
    result.set_dimension(dim, bound);
    result.set_dynamic(dim, !range || range->least < bound);
    inferred = true;
  }
  if (inferred) RETURN_IF_ERROR(l.RefineResult(op, which, result.dimensions(), &result));
  return Shape(result.element_type(), result.dimensions());
}

absl::Status CheckRank(const Lowering& l, const Operation& op, size_t operand, size_t count,
                       int64_t rank) {
  if (static_cast<int64_t>(count) == rank) return absl::OkStatus();
  return l.Invalid(op, "operand {} has {} elements, one for each of {} dimensions is needed",
                   operand, count, rank);
}

}  // namespace

bool Lowering::AreConstant(const Operation& op, size_t first, size_t last) const {
  for (size_t k = first; k < last; ++k) {
    if (!ConstantOf(Operand(op, k))) return false;
  }
  return true;
}

namespace lower {

// A dimension of the operand that is dynamic may have one element, which then is repeated, unless
// its size is the one that the result's has.
absl::Status SizedBroadcastInDim(Lowering& l, const Operation& op, const Dims& dims) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(1);
  RETURN_IF_ERROR(s.status());
  RETURN_IF_ERROR(CheckRank(l, op, 1, sizes.size(), l.ResultShape(op).rank()));
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  HloInstruction *const operand = l.Operand(op, 0), *x = operand;
  RETURN_IF_ERROR(CheckRank(l, op, 0, dims.size(), operand->shape().rank()));
  ASSIGN_OR_RETURN(const Dims same, l.OptionalDims(op, "known_nonexpanding_dimensions", {}));
  Shape shape = bounds;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    const int64_t to = dims[static_cast<size_t>(d)];
    if (!operand->shape().is_dynamic(d)) continue;
    if (to < 0 || to >= bounds.rank())
      return l.Invalid(op, "(C5) {} is not a dimension of the result", to);
    const HloInstruction* wanted = sizes[static_cast<size_t>(to)];
    const bool is_size = wanted->op() == HloOpcode::GetDimensionSize &&
                         wanted->operand(0) == operand && wanted->dimensions()[0] == d;
    const bool stays = is_size || std::find(same.begin(), same.end(), d) != same.end();
    if (stays && operand->shape().dimension(d) == bounds.dimension(to)) {
      shape.set_dynamic(to, x->shape().is_dynamic(d));
      continue;
    }
    const Shape line(ElementType::S32, {bounds.dimension(to)});
    HloInstruction* last = s.Add(HloOpcode::Subtract, {s.SizeOf(operand, d), s.Scalar(1)});
    HloInstruction* at = s.Add(HloOpcode::Iota, {}, IotaAttrs{0}, &line);
    at = s.Add(HloOpcode::Minimum, {at, s.Broadcast(last, line.dimensions(), {})});
    RETURN_IF_ERROR(s.status());
    if (x->shape().dimension(d) == 0) {
      x = s.Zeros(x->shape(), bounds.dimension(to), d);
      shape = bounds;
    } else {
      x = s.Take(s.Whole(x, d), d, at);
    }
    RETURN_IF_ERROR(s.status());
  }
  x = s.Add(HloOpcode::Broadcast, {x}, DimensionsAttrs{dims}, &shape);
  return s.SetResult(x, sizes);
}

absl::Status SizedIota(Lowering& l, const Operation& op, int64_t dimension) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(0);
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  return s.SetResult(s.Add(HloOpcode::Iota, {}, IotaAttrs{dimension}, &bounds), sizes);
}

absl::Status SizedReshape(Lowering& l, const Operation& op) {
  Sizes s(l, op);
  std::vector<HloInstruction*> operands = s.Scalars(1);
  RETURN_IF_ERROR(s.status());
  RETURN_IF_ERROR(Bounds(l, op, operands).status());
  operands.insert(operands.begin(), l.Operand(op, 0));
  const Shape result = l.ResultShape(op);
  HloInstruction* reshaped = s.Add(HloOpcode::DynamicReshape, operands, NoAttrs{}, &result);
  RETURN_IF_ERROR(s.status());
  return l.SetResult(op, reshaped);
}

absl::Status SizedPad(Lowering& l, const Operation& op) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> low = s.Scalars(2), high = s.Scalars(3), inner = s.Scalars(4);
  RETURN_IF_ERROR(s.status());
  HloInstruction* x = l.Operand(op, 0);
  const int64_t rank = x->shape().rank();
  RETURN_IF_ERROR(CheckRank(l, op, 2, low.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 3, high.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 4, inner.size(), rank));
  if (l.ResultShape(op).rank() != rank) return l.Invalid(op, "the result must have rank {}", rank);
  HloInstruction* one = s.Scalar(1);
  std::vector<HloInstruction*> counts, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    counts.push_back(s.SizeOf(x, d));
    HloInstruction* gaps = s.Add(HloOpcode::Subtract, {counts[at], one});
    gaps = s.Add(HloOpcode::Maximum, {gaps, s.Scalar(0)});
    gaps = s.Add(HloOpcode::Multiply, {gaps, inner[at]});
    HloInstruction* size = s.Add(HloOpcode::Add, {counts[at], gaps});
    size = s.Add(HloOpcode::Add, {size, low[at]});
    sizes.push_back(s.Add(HloOpcode::Add, {size, high[at]}));
  }
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  x = s.Whole(x);
  HloInstruction* inside = nullptr;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    HloInstruction* here = nullptr;
    x = s.Spread(x, d, counts[at], low[at], inner[at], bounds.dimension(d), &here);
    RETURN_IF_ERROR(s.status());
    here = s.Broadcast(here, bounds.dimensions(), {d});
    inside = inside == nullptr ? here : s.Add(HloOpcode::And, {inside, here});
  }
  HloInstruction* padding = s.Broadcast(l.Operand(op, 1), bounds.dimensions(), {});
  RETURN_IF_ERROR(s.status());
  if (inside != nullptr) x = s.Add(HloOpcode::Select, {inside, x, padding});
  return s.SetResult(x, sizes);
}

namespace {

// The sizes of a slice that begins anywhere but is of constant sizes, as its limits are the starts
// and these.
std::optional<Dims> ConstantSlice(Lowering& l, const Operation& op) {
  const HloInstruction *starts = l.Operand(op, 1), *limits = l.Operand(op, 2);
  if (limits->op() != HloOpcode::Add || !l.Operand(op, 0)->shape().is_static()) return std::nullopt;
  const bool first = limits->operand(0) == starts;
  if (!first && limits->operand(1) != starts) return std::nullopt;
  const std::optional<Literal> sizes = l.ConstantOf(limits->operand(first ? 1 : 0)),
                               strides = l.ConstantOf(l.Operand(op, 3));
  if (!sizes || !strides || sizes->shape().rank() != 1) return std::nullopt;
  Dims result;
  for (int64_t k = 0; k < strides->shape().element_count(); ++k) {
    if (strides->GetAsDouble(k) != 1) return std::nullopt;
  }
  for (int64_t k = 0; k < sizes->shape().element_count(); ++k)
    result.push_back(static_cast<int64_t>(sizes->GetAsDouble(k)));
  return result;
}

}  // namespace

// Element r of the result along a dimension is element start + r * stride of the operand.
absl::Status SizedSlice(Lowering& l, const Operation& op) {
  Sizes s(l, op);
  if (const std::optional<Dims> constant = ConstantSlice(l, op)) {
    RETURN_IF_ERROR(l.Refine(op, *constant));
    std::vector<HloInstruction*> operands = s.Scalars(1);
    RETURN_IF_ERROR(s.status());
    operands.insert(operands.begin(), l.Operand(op, 0));
    return l.AddResult(op, HloOpcode::DynamicSlice, operands, DynamicSliceAttrs{*constant});
  }
  const std::vector<HloInstruction*> starts = s.Scalars(1), limits = s.Scalars(2),
                                     strides = s.Scalars(3);
  RETURN_IF_ERROR(s.status());
  HloInstruction* x = l.Operand(op, 0);
  const int64_t rank = x->shape().rank();
  RETURN_IF_ERROR(CheckRank(l, op, 1, starts.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 2, limits.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 3, strides.size(), rank));
  if (l.ResultShape(op).rank() != rank) return l.Invalid(op, "the result must have rank {}", rank);
  std::vector<HloInstruction*> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    HloInstruction* size = s.Add(HloOpcode::Subtract, {limits[at], starts[at]});
    size = s.Add(HloOpcode::Add, {size, s.Add(HloOpcode::Subtract, {strides[at], s.Scalar(1)})});
    sizes.push_back(s.Add(HloOpcode::Divide, {size, strides[at]}));
  }
  RETURN_IF_ERROR(s.status());
  // A slice has no more elements than there are.
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes, x->shape().dimensions()));
  x = s.Whole(x);
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    RETURN_IF_ERROR(s.status());
    const Shape line(ElementType::S32, {bounds.dimension(d)});
    HloInstruction* r = s.Add(HloOpcode::Iota, {}, IotaAttrs{0}, &line);
    r = s.Add(HloOpcode::Multiply, {r, s.Broadcast(strides[at], line.dimensions(), {})});
    r = s.Add(HloOpcode::Add, {r, s.Broadcast(starts[at], line.dimensions(), {})});
    RETURN_IF_ERROR(s.status());
    x = x->shape().dimension(d) == 0 ? s.Zeros(x->shape(), bounds.dimension(d), d)
                                     : s.Take(x, d, r);
  }
  return s.SetResult(x, sizes);
}

// Slices of the result's bounds from an operand that is padded by as much, which begin where slices
// of the sizes would.
absl::Status SizedGather(Lowering& l, const Operation& op, GatherAttrs attrs) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> slices = s.Scalars(2);
  RETURN_IF_ERROR(s.status());
  HloInstruction *x = l.Operand(op, 0), *indices = l.Operand(op, 1);
  const int64_t rank = x->shape().rank();
  RETURN_IF_ERROR(CheckRank(l, op, 2, slices.size(), rank));
  auto in = [](const Dims& dims, int64_t d) {
    return std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  // Sizes of the result's dimensions: of slices, and of the indices but their vectors.
  std::vector<HloInstruction*> sizes(static_cast<size_t>(l.ResultShape(op).rank()), nullptr);
  PadAttrs pad;
  pad.low = pad.high = pad.interior = Dims(static_cast<size_t>(rank), 0);
  attrs.slice_sizes.assign(static_cast<size_t>(rank), 1);
  std::vector<std::pair<size_t, int64_t>> sliced;  // dimensions of the operand, of the result
  size_t offset = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    if (in(attrs.collapsed_slice_dims, d) || in(attrs.operand_batching_dims, d)) continue;
    if (offset == attrs.offset_dims.size() || attrs.offset_dims[offset] < 0 ||
        attrs.offset_dims[offset] >= l.ResultShape(op).rank())
      return l.Invalid(op,
                       "(C1) offset_dims must name a dimension of the result for each of slices");
    const int64_t to = attrs.offset_dims[offset++];
    sizes[static_cast<size_t>(to)] = slices[at];
    sliced.emplace_back(at, to);
  }
  int64_t batch = 0;
  for (HloInstruction*& size : sizes) {
    if (size != nullptr) continue;
    if (batch == attrs.index_vector_dim) ++batch;
    if (batch >= indices->shape().rank())
      return l.Invalid(op, "(C1) the result has more dimensions than slices and indices");
    size = s.SizeOf(indices, batch++);
  }
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  for (const auto& [at, to] : sliced) attrs.slice_sizes[at] = pad.high[at] = bounds.dimension(to);
  std::vector<HloInstruction*> limits;
  for (int64_t d : attrs.start_index_map) {
    if (d < 0 || d >= rank) return l.Invalid(op, "(C3) {} is not a dimension of the operand", d);
    HloInstruction* limit =
        s.Add(HloOpcode::Subtract, {s.SizeOf(x, d), slices[static_cast<size_t>(d)]});
    limits.push_back(s.Add(HloOpcode::Maximum, {limit, s.Scalar(0)}));
  }
  RETURN_IF_ERROR(s.status());
  const ElementType type = indices->shape().element_type();
  const ElementType wide =
      BitWidth(type) > 32 || type == ElementType::U32 ? ElementType::S64 : ElementType::S32;
  auto convert = [&](HloInstruction* i) {
    Shape shape = i->shape();
    shape.set_element_type(wide);
    return s.Add(HloOpcode::Convert, {i}, NoAttrs{}, &shape);
  };
  indices = convert(indices);
  if (!limits.empty() && s.status().ok()) {
    const Dims& dims = indices->shape().dimensions();
    HloInstruction* all = limits[0];
    Dims along;
    if (attrs.index_vector_dim < indices->shape().rank()) {
      const Shape one(ElementType::S32, {1});
      for (HloInstruction*& limit : limits)
        limit = s.Add(HloOpcode::Reshape, {limit}, NoAttrs{}, &one);
      all = s.Add(HloOpcode::Concatenate, limits, DimensionsAttrs{{0}});
      along = {attrs.index_vector_dim};
    }
    RETURN_IF_ERROR(s.status());
    all = s.Broadcast(convert(all), dims, along);
    indices = s.Add(HloOpcode::Minimum, {indices, all});
  }
  x = s.Whole(x);
  RETURN_IF_ERROR(s.status());
  x = s.Add(HloOpcode::Pad, {x, s.Zero(x->shape().element_type())}, std::move(pad));
  return s.SetResult(s.Add(HloOpcode::Gather, {x, indices}, std::move(attrs)), sizes);
}

// The input is spread and padded first, as far as the result's bounds see it, and is then one that
// needs no padding.
absl::Status SizedConvolution(Lowering& l, const Operation& op, ConvolutionAttrs attrs) {
  Sizes s(l, op);
  const Shape flat(l.Operand(op, 2)->shape().element_type(),
                   {static_cast<int64_t>(2 * attrs.window.size())});
  const std::vector<HloInstruction*> padding =
      s.Scalars(2, s.Add(HloOpcode::Reshape, {l.Operand(op, 2)}, NoAttrs{}, &flat));
  RETURN_IF_ERROR(s.status());
  HloInstruction *x = l.Operand(op, 0), *kernel = l.Operand(op, 1);
  const auto& labels = attrs.dim_labels;
  const int64_t rank = x->shape().rank();
  if (l.ResultShape(op).rank() != rank || kernel->shape().rank() != rank ||
      labels.input_spatial_dimensions.size() != attrs.window.size() ||
      labels.output_spatial_dimensions.size() != attrs.window.size())
    return l.Invalid(op, "(C1) the operands and the result must have the same rank");
  for (const Dims& dims : std::initializer_list<Dims>{
           labels.input_spatial_dimensions, labels.output_spatial_dimensions,
           Dims{labels.input_batch_dimension, labels.input_feature_dimension,
                labels.output_batch_dimension, labels.output_feature_dimension,
                labels.kernel_output_feature_dimension, labels.kernel_input_feature_dimension}}) {
    for (int64_t d : dims) {
      if (d < 0 || d >= rank) return l.Invalid(op, "{} is not a dimension of rank {}", d, rank);
    }
  }
  std::vector<HloInstruction*> sizes(static_cast<size_t>(rank), nullptr), counts, inner;
  HloInstruction* batch = s.SizeOf(x, labels.input_batch_dimension);
  if (attrs.batch_group_count > 1)
    batch = s.Add(HloOpcode::Divide, {batch, s.Scalar(attrs.batch_group_count)});
  sizes[static_cast<size_t>(labels.output_batch_dimension)] = batch;
  sizes[static_cast<size_t>(labels.output_feature_dimension)] =
      s.SizeOf(kernel, labels.kernel_output_feature_dimension);
  HloInstruction *one = s.Scalar(1), *zero = s.Scalar(0);
  Dims windows;  // sizes, holes included
  for (size_t k = 0; k < attrs.window.size(); ++k) {
    const WindowDimension& w = attrs.window[k];
    if (kernel->shape().is_dynamic(labels.kernel_spatial_dimensions[k]))
      return l.Unsupported(op, "a window of dynamic size, with padding that depends on data");
    if (w.stride <= 0 || w.base_dilation <= 0)
      return l.Invalid(op, "(C3) a stride is not positive");
    const std::optional<int64_t> window = DilatedSize(w.size, w.window_dilation);
    if (!window) return l.Invalid(op, "(C8) a window is too large");
    windows.push_back(*window);
    counts.push_back(s.SizeOf(x, labels.input_spatial_dimensions[k]));
    inner.push_back(s.Scalar(w.base_dilation - 1));
    HloInstruction* size = s.Add(HloOpcode::Subtract, {counts[k], one});
    size = s.Add(HloOpcode::Multiply, {s.Add(HloOpcode::Maximum, {size, zero}), inner[k]});
    size = s.Add(HloOpcode::Add, {size, counts[k]});
    size =
        s.Add(HloOpcode::Add, {size, s.Add(HloOpcode::Add, {padding[2 * k], padding[2 * k + 1]})});
    size = s.Add(HloOpcode::Add, {size, s.Scalar(w.stride - *window)});
    size = s.Add(HloOpcode::Divide, {size, s.Scalar(w.stride)});
    sizes[static_cast<size_t>(labels.output_spatial_dimensions[k])] =
        s.Add(HloOpcode::Maximum, {size, zero});
  }
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  // Batches and features keep their sizes: groups are parts of those.
  for (int64_t d : labels.input_spatial_dimensions) x = s.Whole(x, d);
  for (size_t k = 0; k < attrs.window.size(); ++k) {
    WindowDimension& w = attrs.window[k];
    const int64_t d = labels.input_spatial_dimensions[k],
                  count = bounds.dimension(labels.output_spatial_dimensions[k]);
    const int64_t extent = std::max<int64_t>((count - 1) * w.stride + windows[k], 0);
    HloInstruction* inside = nullptr;
    x = s.Spread(x, d, counts[k], padding[2 * k], inner[k], extent, &inside);
    RETURN_IF_ERROR(s.status());
    const Dims dims = x->shape().dimensions();
    x = s.Add(HloOpcode::Select, {s.Broadcast(inside, dims, {d}), x,
                                  s.Broadcast(s.Zero(x->shape().element_type()), dims, {})});
    w.padding_low = w.padding_high = 0;
    w.base_dilation = 1;
  }
  RETURN_IF_ERROR(s.status());
  Shape sized = bounds;
  sized.set_dynamic(labels.output_batch_dimension,
                    x->shape().is_dynamic(labels.input_batch_dimension));
  sized.set_dynamic(labels.output_feature_dimension,
                    kernel->shape().is_dynamic(labels.kernel_output_feature_dimension));
  return s.SetResult(s.Add(HloOpcode::Convolution, {x, kernel}, std::move(attrs), &sized), sizes);
}

absl::Status SizedRng(Lowering& l, const Operation& op, const RngAttrs& attrs) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(2);
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes));
  return s.SetResult(s.Add(HloOpcode::Rng, {l.Operand(op, 0), l.Operand(op, 1)}, attrs, &bounds),
                     sizes);
}

// Numbers for the bounds, of which those are there that the sizes say.
absl::Status SizedRngBitGenerator(Lowering& l, const Operation& op) {
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(1);
  RETURN_IF_ERROR(s.status());
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op, sizes, {}, 1));
  const Shape shape = l.ResultShape(op, 1);
  RETURN_IF_ERROR(l.RefineResult(op, 1, bounds.dimensions()));
  Operation plain = op;
  plain.operands.pop_back();
  RETURN_IF_ERROR(RngBitGenerator(l, plain, *FindOp("stablehlo.rng_bit_generator")));
  HloInstruction* numbers = l.Get(op.results[1]);
  if (numbers == nullptr) return absl::OkStatus();  // which has no users
  numbers = s.WithSizes(numbers, shape, sizes);
  RETURN_IF_ERROR(s.status());
  l.Rebind(op.results[1], numbers);
  return absl::OkStatus();
}

}  // namespace lower
}  // namespace sinter::stablehlo
