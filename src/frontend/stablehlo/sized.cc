// Operations whose sizes are known only when they run: arrays of the result's bounds, whose dynamic
// dimensions are then given their sizes.
#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo {
namespace {

// Writes down what an operation becomes; the first error stays.
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
    std::vector<HloInstruction*> scalars;
    HloInstruction* vector = l_.Operand(op_, operand);
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
    for (int64_t d = 0; status_.ok() && d < x->shape().rank(); ++d) {
      if (!x->shape().is_dynamic(d)) continue;
      Shape shape = x->shape();
      shape.set_dynamic(d, false);
      x = Add(HloOpcode::SetDimensionSize, {x, Scalar(shape.dimension(d))}, DimensionsAttrs{{d}},
              &shape);
    }
    return x;
  }
  // Elements at these positions of dimension d, s32[n]: 0 where they lie outside.
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
    const Shape result = l_.ResultShape(op_);
    RETURN_IF_ERROR(status_);
    if (static_cast<int64_t>(sizes.size()) != result.rank()) {
      return l_.Invalid(op_, "{} sizes for {} dimensions", sizes.size(), result.rank());
    }
    for (int64_t d = 0; d < result.rank(); ++d) {
      if (!result.is_dynamic(d)) continue;
      x = Add(HloOpcode::SetDimensionSize, {x, sizes[static_cast<size_t>(d)]},
              DimensionsAttrs{{d}});
      RETURN_IF_ERROR(status_);
    }
    return l_.SetResult(op_, x);
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

// The result's shape without anything dynamic.
absl::StatusOr<Shape> Bounds(const Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(l.CheckCounts(op, op.operands.size(), 1));
  const Shape& result = l.ResultShape(op);
  Dims sizes = result.dimensions();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == Shape::kUnbounded) {
      return l.Unsupported(op,
                           "sizes that depend on data, for a result without bounds: shapes of the "
                           "arguments may make them static");
    }
  }
  return Shape(result.element_type(), std::move(sizes));
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

absl::Status SizedBroadcastInDim(Lowering& l, const Operation& op, const Dims& dims) {
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op));
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(1);
  RETURN_IF_ERROR(s.status());
  HloInstruction* x = l.Operand(op, 0);
  for (size_t d = 0; d < dims.size() && static_cast<int64_t>(d) < x->shape().rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (x->shape().is_dynamic(at) && 0 <= dims[d] && dims[d] < bounds.rank() &&
        x->shape().dimension(at) != bounds.dimension(dims[d])) {
      return l.Unsupported(op, "dimension {} of {} in one of another bound, {}", d,
                           ToText(x->shape()), bounds.dimension(dims[d]));
    }
  }
  Shape shape = bounds;
  for (size_t d = 0; d < dims.size() && static_cast<int64_t>(d) < x->shape().rank(); ++d) {
    if (x->shape().is_dynamic(static_cast<int64_t>(d)) && 0 <= dims[d] && dims[d] < bounds.rank())
      shape.set_dynamic(dims[d], true);
  }
  x = s.Add(HloOpcode::Broadcast, {x}, DimensionsAttrs{dims}, &shape);
  return s.SetResult(x, sizes);
}

absl::Status SizedIota(Lowering& l, const Operation& op, int64_t dimension) {
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op));
  Sizes s(l, op);
  const std::vector<HloInstruction*> sizes = s.Scalars(0);
  return s.SetResult(s.Add(HloOpcode::Iota, {}, IotaAttrs{dimension}, &bounds), sizes);
}

absl::Status SizedReshape(Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op));
  Sizes s(l, op);
  std::vector<HloInstruction*> operands = s.Scalars(1);
  operands.insert(operands.begin(), l.Operand(op, 0));
  const Shape result = l.ResultShape(op);
  HloInstruction* reshaped = s.Add(HloOpcode::DynamicReshape, operands, NoAttrs{}, &result);
  RETURN_IF_ERROR(s.status());
  return l.SetResult(op, reshaped);
}

// Element r of the result along a dimension is element (r - low) / (interior + 1) of the operand,
// where that is one.
absl::Status SizedPad(Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op));
  Sizes s(l, op);
  const std::vector<HloInstruction*> low = s.Scalars(2), high = s.Scalars(3), inner = s.Scalars(4);
  RETURN_IF_ERROR(s.status());
  HloInstruction* x = l.Operand(op, 0);
  const int64_t rank = x->shape().rank();
  RETURN_IF_ERROR(CheckRank(l, op, 2, low.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 3, high.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 4, inner.size(), rank));
  if (bounds.rank() != rank) return l.Invalid(op, "the result must have rank {}", rank);
  HloInstruction* one = s.Scalar(1);
  std::vector<HloInstruction*> counts, sizes;
  for (int64_t d = 0; d < rank; ++d) counts.push_back(s.SizeOf(x, d));
  x = s.Whole(x);
  HloInstruction* inside = nullptr;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    HloInstruction* gaps = s.Add(HloOpcode::Subtract, {counts[at], one});
    gaps = s.Add(HloOpcode::Maximum, {gaps, s.Scalar(0)});
    gaps = s.Add(HloOpcode::Multiply, {gaps, inner[at]});
    HloInstruction* size = s.Add(HloOpcode::Add, {counts[at], gaps});
    size = s.Add(HloOpcode::Add, {size, low[at]});
    sizes.push_back(s.Add(HloOpcode::Add, {size, high[at]}));

    const Shape line(ElementType::S32, {bounds.dimension(d)});
    auto repeat = [&](HloInstruction* scalar) {
      return s.Broadcast(scalar, line.dimensions(), {});
    };
    HloInstruction* r = s.Add(HloOpcode::Iota, {}, IotaAttrs{0}, &line);
    r = s.Add(HloOpcode::Subtract, {r, repeat(low[at])});
    HloInstruction* step = repeat(s.Add(HloOpcode::Add, {inner[at], one}));
    HloInstruction* from = s.Add(HloOpcode::Divide, {r, step});
    HloInstruction *zero = repeat(s.Scalar(0)), *rest = s.Add(HloOpcode::Remainder, {r, step});
    auto compare = [&](HloInstruction* a, HloInstruction* b, ComparisonDirection direction) {
      return s.Add(HloOpcode::Compare, {a, b}, CompareAttrs{direction});
    };
    HloInstruction* here = s.Add(HloOpcode::And, {compare(rest, zero, ComparisonDirection::kEq),
                                                  compare(r, zero, ComparisonDirection::kGe)});
    here =
        s.Add(HloOpcode::And, {here, compare(from, repeat(counts[at]), ComparisonDirection::kLt)});
    here = s.Broadcast(here, bounds.dimensions(), {d});
    inside = inside == nullptr ? here : s.Add(HloOpcode::And, {inside, here});
    RETURN_IF_ERROR(s.status());
    // Of nothing, nothing can be taken.
    x = x->shape().dimension(d) == 0 ? nullptr : s.Take(x, d, from);
    if (x == nullptr) break;
  }
  HloInstruction* padding = s.Broadcast(l.Operand(op, 1), bounds.dimensions(), {});
  RETURN_IF_ERROR(s.status());
  if (x == nullptr) {
    return l.Unsupported(op, "an operand without elements");
  }
  if (inside != nullptr) x = s.Add(HloOpcode::Select, {inside, x, padding});
  return s.SetResult(x, sizes);
}

// Element r of the result along a dimension is element start + r * stride of the operand.
absl::Status SizedSlice(Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const Shape bounds, Bounds(l, op));
  Sizes s(l, op);
  const std::vector<HloInstruction*> starts = s.Scalars(1), limits = s.Scalars(2),
                                     strides = s.Scalars(3);
  RETURN_IF_ERROR(s.status());
  HloInstruction* x = l.Operand(op, 0);
  const int64_t rank = x->shape().rank();
  RETURN_IF_ERROR(CheckRank(l, op, 1, starts.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 2, limits.size(), rank));
  RETURN_IF_ERROR(CheckRank(l, op, 3, strides.size(), rank));
  if (bounds.rank() != rank) return l.Invalid(op, "the result must have rank {}", rank);
  x = s.Whole(x);
  std::vector<HloInstruction*> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    RETURN_IF_ERROR(s.status());
    if (x->shape().dimension(d) == 0) return l.Unsupported(op, "an operand without elements");
    HloInstruction* size = s.Add(HloOpcode::Subtract, {limits[at], starts[at]});
    size = s.Add(HloOpcode::Add, {size, s.Add(HloOpcode::Subtract, {strides[at], s.Scalar(1)})});
    sizes.push_back(s.Add(HloOpcode::Divide, {size, strides[at]}));
    const Shape line(ElementType::S32, {bounds.dimension(d)});
    HloInstruction* r = s.Add(HloOpcode::Iota, {}, IotaAttrs{0}, &line);
    r = s.Add(HloOpcode::Multiply, {r, s.Broadcast(strides[at], line.dimensions(), {})});
    r = s.Add(HloOpcode::Add, {r, s.Broadcast(starts[at], line.dimensions(), {})});
    x = s.Take(x, d, r);
  }
  return s.SetResult(x, sizes);
}

}  // namespace lower
}  // namespace sinter::stablehlo
