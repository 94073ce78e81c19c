// Bounds of dimensions that the types of results do not state, where operands or paths through the
// program have different ones.
#include <algorithm>
#include <utility>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo {
namespace {

absl::StatusOr<HloInstruction*> Number(Lowering& l, const Operation& op, int64_t size) {
  const auto value = Literal::R0<int32_t>(static_cast<int32_t>(size));
  return l.Add(op, HloOpcode::Constant, {}, ConstantAttrs{std::make_shared<const Literal>(value)});
}

absl::StatusOr<HloInstruction*> SizeOf(Lowering& l, const Operation& op, HloInstruction* x,
                                       int64_t d) {
  if (x->shape().is_dynamic(d))
    return l.Add(op, HloOpcode::GetDimensionSize, {x}, DimensionsAttrs{{d}});
  return Number(l, op, x->shape().dimension(d));
}

absl::StatusOr<HloInstruction*> SetSize(Lowering& l, const Operation& op, HloInstruction* x,
                                        HloInstruction* size, int64_t d) {
  return l.Add(op, HloOpcode::SetDimensionSize, {x, size}, DimensionsAttrs{{d}});
}

// The elements up to `bound` along d.
absl::StatusOr<HloInstruction*> Cut(Lowering& l, const Operation& op, HloInstruction* x, int64_t d,
                                    int64_t bound) {
  SliceAttrs attrs;
  attrs.starts = Dims(static_cast<size_t>(x->shape().rank()), 0);
  attrs.strides = Dims(static_cast<size_t>(x->shape().rank()), 1);
  attrs.limits = x->shape().dimensions();
  attrs.limits[static_cast<size_t>(d)] = bound;
  if (bound != 1) return l.Add(op, HloOpcode::Slice, {x}, std::move(attrs));
  // A slice of one element takes one, which there may not be, and does not say that.
  ASSIGN_OR_RETURN(HloInstruction * size, SizeOf(l, op, x, d));
  ASSIGN_OR_RETURN(HloInstruction * full, Number(l, op, x->shape().dimension(d)));
  ASSIGN_OR_RETURN(x, SetSize(l, op, x, full, d));
  ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Slice, {x}, std::move(attrs)));
  return SetSize(l, op, x, size, d);
}

absl::StatusOr<HloInstruction*> Extended(Lowering& l, const Operation& op, HloInstruction* x,
                                         int64_t d, int64_t bound) {
  ASSIGN_OR_RETURN(HloInstruction * size, SizeOf(l, op, x, d));
  const Literal zero{Shape(x->shape().element_type())};
  ASSIGN_OR_RETURN(
      HloInstruction * padding,
      l.Add(op, HloOpcode::Constant, {}, ConstantAttrs{std::make_shared<const Literal>(zero)}));
  PadAttrs pad;
  pad.low = pad.high = pad.interior = Dims(static_cast<size_t>(x->shape().rank()), 0);
  pad.high[static_cast<size_t>(d)] = bound - x->shape().dimension(d);
  ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Pad, {x, padding}, std::move(pad)));
  return SetSize(l, op, x, size, d);
}

// The shape of result k of so many, or null where the computation gives something else.
const Shape* ResultOf(const HloComputation* c, size_t results, size_t k) {
  const Shape& all = c->root()->shape();
  if (results == 1) return &all;
  return c->root()->op() == HloOpcode::Tuple && all.tuple_shapes().size() == results
             ? &all.tuple_shapes()[k]
             : nullptr;
}

}  // namespace

absl::StatusOr<std::vector<HloInstruction*>> Lowering::Alike(const Operation& op,
                                                             std::vector<HloInstruction*> operands,
                                                             int64_t except) {
  int64_t rank = 0;
  for (const HloInstruction* x : operands) {
    if (x->shape().is_array()) rank = std::max(rank, x->shape().rank());
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (d == except) continue;
    std::optional<int64_t> least;
    for (const HloInstruction* x : operands) {
      if (x->shape().rank() == rank)
        least = std::min(least.value_or(x->shape().dimension(d)), x->shape().dimension(d));
    }
    for (HloInstruction*& x : operands) {
      if (x->shape().rank() != rank || !x->shape().is_dynamic(d) ||
          x->shape().dimension(d) == *least)
        continue;
      ASSIGN_OR_RETURN(x, Cut(*this, op, x, d, *least));
    }
  }
  return operands;
}

absl::StatusOr<HloInstruction*> Lowering::WithBounds(const Operation& op, HloInstruction* x,
                                                     const Shape& bounds) {
  const int64_t rank = x->shape().is_array() ? std::min(x->shape().rank(), bounds.rank()) : 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (x->shape().dimension(d) >= bounds.dimension(d)) continue;
    ASSIGN_OR_RETURN(x, Extended(*this, op, x, d, bounds.dimension(d)));
  }
  return x;
}

absl::StatusOr<HloInstruction*> Lowering::WithSizesOf(const Operation& op, HloInstruction* x,
                                                      HloInstruction* like) {
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (!like->shape().is_dynamic(d) || x->shape().is_dynamic(d)) continue;
    ASSIGN_OR_RETURN(HloInstruction * size, SizeOf(*this, op, like, d));
    ASSIGN_OR_RETURN(x, SetSize(*this, op, x, size, d));
  }
  return x;
}

// Both where `declared` leaves the size open.
bool Lowering::Join(Shape& shape, const Shape& other, const Shape& declared) {
  if (!shape.is_array() || !other.is_array() || !declared.is_array() ||
      shape.rank() != declared.rank() || other.rank() != declared.rank())
    return false;
  bool changed = false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (declared.dimension(d) != Shape::kUnbounded) continue;
    const int64_t a = shape.dimension(d), b = other.dimension(d);
    const bool dynamic = a != b || shape.is_dynamic(d) || other.is_dynamic(d);
    changed |= b > a || dynamic != shape.is_dynamic(d);
    shape.set_dimension(d, std::max(a, b));
    shape.set_dynamic(d, dynamic);
  }
  return changed;
}

absl::Status Lowering::SetRootBounds(const Operation& op, HloComputation* c,
                                     const std::vector<Shape>& bounds) {
  HloComputation* const outer = std::exchange(computation_, c);
  auto widened = [&]() -> absl::StatusOr<HloInstruction*> {
    if (bounds.size() == 1 && !c->root()->shape().is_tuple())
      return WithBounds(op, c->root(), bounds[0]);
    std::vector<HloInstruction*> elements(c->root()->operands().begin(),
                                          c->root()->operands().end());
    for (size_t k = 0; k < bounds.size(); ++k) {
      ASSIGN_OR_RETURN(elements[k], WithBounds(op, elements[k], bounds[k]));
    }
    return Add(op, HloOpcode::Tuple, elements);
  };
  absl::StatusOr<HloInstruction*> root = widened();
  computation_ = outer;
  RETURN_IF_ERROR(root.status());
  c->set_root(*root);
  return absl::OkStatus();
}

absl::Status Lowering::JoinBranches(const Operation& op,
                                    absl::Span<HloComputation* const> branches) {
  if (!dynamic_ || branches.empty()) return absl::OkStatus();
  std::vector<Shape> bounds;
  bool differ = false;
  for (size_t k = 0; k < op.results.size(); ++k) {
    const Shape declared = InGraph(Declared(op.results[k]));
    const Shape* first = ResultOf(branches[0], op.results.size(), k);
    if (first == nullptr) return absl::OkStatus();  // which the rule refuses
    bounds.push_back(*first);
    for (const HloComputation* branch : branches) {
      const Shape* shape = ResultOf(branch, op.results.size(), k);
      if (shape == nullptr) return absl::OkStatus();
      Join(bounds[k], *shape, declared);
      differ |= !shape->SameDimensions(bounds[k]);
    }
    differ |= !first->SameDimensions(bounds[k]);
  }
  if (!differ) return absl::OkStatus();
  for (HloComputation* branch : branches) RETURN_IF_ERROR(SetRootBounds(op, branch, bounds));
  return absl::OkStatus();
}

absl::StatusOr<Lowering::Loop> Lowering::LowerLoop(const Operation& op,
                                                   const std::vector<ValueId>& captures) {
  constexpr int kMostRounds = 16;
  const Region &cond = op.regions[0], &body = op.regions[1];
  const size_t count = op.operands.size();
  auto with_captures = [&](std::vector<ValueId> ids) {
    ids.insert(ids.end(), captures.begin(), captures.end());
    return ids;
  };
  std::vector<HloInstruction*> initial = Operands(op), origins(count, nullptr);
  std::vector<Shape> carried;
  for (size_t k = 0; k < count; ++k) {
    if (body.returned[k] == body.arguments[k]) origins[k] = initial[k];
    carried.push_back(ShapeOf(body.arguments[k]));
  }
  for (ValueId id : captures) origins.push_back(Get(id));
  for (int round = 0; round < kMostRounds; ++round) {
    ASSIGN_OR_RETURN(HloComputation * cond_computation,
                     PackedBody(op, cond, "cond", with_captures(cond.arguments), {}, origins));
    ASSIGN_OR_RETURN(
        HloComputation * body_computation,
        PackedBody(op, body, "body", with_captures(body.arguments), captures, origins));
    bool changed = false, differ = false;
    for (size_t k = 0; dynamic_ && k < count; ++k) {
      const Shape* next = ResultOf(body_computation, count + captures.size(), k);
      if (next == nullptr) break;
      changed |= Join(carried[k], *next, InGraph(Declared(op.results[k])));
      differ |= !carried[k].SameDimensions(*next);
    }
    if (!changed) {
      if (differ) {
        for (size_t k = 0; k < captures.size(); ++k) carried.push_back(Get(captures[k])->shape());
        RETURN_IF_ERROR(SetRootBounds(op, body_computation, carried));
      }
      for (size_t k = 0; dynamic_ && k < count; ++k) {
        ASSIGN_OR_RETURN(initial[k], WithBounds(op, initial[k], carried[k]));
      }
      for (ValueId id : captures) initial.push_back(Get(id));
      HloInstruction* state = initial[0];
      if (initial.size() != 1) {
        ASSIGN_OR_RETURN(state, Add(op, HloOpcode::Tuple, initial));
      }
      return Loop{state, cond_computation, body_computation};
    }
    // Computations made with these bounds are not called.
    abandoned_ = true;
    if (static_cast<size_t>(module_->IdLimit()) > kMostInstructions) {
      return source_.Exhausted(op.at, "bounds of what loops carry take more than {} instructions",
                               kMostInstructions);
    }
    for (size_t k = 0; k < count; ++k) {
      shapes_[static_cast<size_t>(cond.arguments[k])] = carried[k];
      shapes_[static_cast<size_t>(body.arguments[k])] = carried[k];
    }
  }
  return Unsupported(op, "a loop that carries dynamic dimensions whose bounds grow");
}

}  // namespace sinter::stablehlo
