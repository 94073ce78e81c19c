#include "passes/expand/layouts.h"

#include "absl/algorithm/container.h"
#include "base/status.h"

namespace sinter {
namespace {

bool HasLayout(const Shape& s) {
  if (s.is_tuple()) return absl::c_any_of(s.tuple_shapes(), HasLayout);
  return s.is_array() && !s.has_default_layout();
}

Shape RowMajor(const Shape& s) {
  if (s.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& e : s.tuple_shapes()) elements.push_back(RowMajor(e));
    return Shape::Tuple(std::move(elements));
  }
  Shape out = s;
  out.set_minor_to_major({});
  return out;
}

// The array as it lies in memory, if that were row-major.
Shape InMemory(const Shape& s) {
  if (!HasLayout(s)) return s;
  Dims sizes;
  const Dims& order = s.minor_to_major();
  for (size_t n = order.size(); n-- > 0;) sizes.push_back(s.dimension(order[n]));
  return Shape(s.element_type(), std::move(sizes));
}

// From row-major to the order in memory, and back. What comes back keeps the layout until all calls
// have been seen: the next one may take it so.
HloInstruction* ToMemory(HloComputation* c, HloInstruction* x) {
  const Shape& s = x->shape();
  Dims order(s.minor_to_major().rbegin(), s.minor_to_major().rend());
  return c->AddWithShape(HloOpcode::Transpose, InMemory(s), {x}, DimensionsAttrs{std::move(order)});
}
HloInstruction* FromMemory(HloComputation* c, HloInstruction* x, const Shape& s) {
  Dims back(static_cast<size_t>(s.rank()));
  for (size_t p = 0; p < back.size(); ++p) {
    back[static_cast<size_t>(s.minor_to_major()[back.size() - 1 - p])] = static_cast<int64_t>(p);
  }
  return c->AddWithShape(HloOpcode::Transpose, s, {x}, DimensionsAttrs{std::move(back)});
}

absl::Status ExpandCall(HloComputation* c, HloInstruction* call) {
  std::vector<HloInstruction*> operands;
  for (HloInstruction* o : call->operands()) {
    if (o->shape().is_tuple() && HasLayout(o->shape())) {
      return Unimplemented("{}: a tuple with layouts as operand of a custom call", call->name());
    }
    operands.push_back(HasLayout(o->shape()) ? ToMemory(c, o) : o);
  }
  const Shape& s = call->shape();
  if (!s.is_tuple()) {
    HloInstruction* made = c->AddWithShape(HloOpcode::CustomCall, InMemory(s), operands,
                                           call->attributes(), call->called(), call->name());
    c->ReplaceAllUses(call, HasLayout(s) ? FromMemory(c, made, s) : made);
    return absl::OkStatus();
  }
  std::vector<Shape> shapes;
  for (const Shape& e : s.tuple_shapes()) {
    if (e.is_tuple() && HasLayout(e)) {
      return Unimplemented("{}: nested tuples with layouts from a custom call", call->name());
    }
    shapes.push_back(InMemory(e));
  }
  HloInstruction* made =
      c->AddWithShape(HloOpcode::CustomCall, Shape::Tuple(std::move(shapes)), operands,
                      call->attributes(), call->called(), call->name());
  std::vector<HloInstruction*> results;
  for (size_t e = 0; e < s.tuple_shapes().size(); ++e) {
    HloInstruction*& result = results.emplace_back(
        c->AddWithShape(HloOpcode::GetTupleElement, made->shape().tuple_shapes()[e], {made},
                        TupleElementAttrs{static_cast<int64_t>(e)}));
    if (HasLayout(s.tuple_shapes()[e])) result = FromMemory(c, result, s.tuple_shapes()[e]);
  }
  c->ReplaceAllUses(call, c->AddWithShape(HloOpcode::Tuple, s, results));
  return absl::OkStatus();
}

absl::StatusOr<bool> ExpandLayouts(HloModule& module) {
  bool changed = false;
  for (const auto& c : module.computations()) {
    for (HloInstruction* i : c->AllInOrder()) {
      if (i->op() != HloOpcode::CustomCall) continue;
      const bool any = HasLayout(i->shape()) ||
                       absl::c_any_of(i->operands(), [](auto* o) { return HasLayout(o->shape()); });
      if (!any) continue;
      RETURN_IF_ERROR(ExpandCall(c.get(), i));
      c->Remove(i);
      changed = true;
    }
    for (const auto& i : c->instructions()) {
      if (!HasLayout(i->shape())) continue;
      i->set_shape(RowMajor(i->shape()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandLayoutsPass() { return MakePass("expand-layouts", ExpandLayouts); }

}  // namespace sinter
