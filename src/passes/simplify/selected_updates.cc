#include <utility>

#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// The scalar of which a predicate has copies, or null.
HloInstruction* OnePredicate(HloInstruction* p) {
  if (p->op() == HloOpcode::Broadcast) p = p->operand(0);
  return p->shape().is_scalar() ? p : nullptr;
}

HloInstruction* Everywhere(HloComputation& c, HloInstruction* scalar, const Dims& dims) {
  if (dims.empty()) return scalar;
  return c.AddWithShape(HloOpcode::Broadcast, Shape(scalar->shape().element_type(), dims), {scalar},
                        DimensionsAttrs{});
}

// dynamic-update-slice(x, u, i) where p holds, else x: u there, else what was there.
HloInstruction* SelectWindow(HloComputation& c, HloInstruction* update, HloInstruction* p,
                             bool where) {
  HloInstruction *x = update->operand(0), *u = update->operand(1);
  std::vector<HloInstruction*> starts{x};
  for (size_t k = 2; k < update->operands().size(); ++k) starts.push_back(update->operand(k));
  HloInstruction* old = c.AddWithShape(HloOpcode::DynamicSlice, u->shape(), starts,
                                       DynamicSliceAttrs{u->shape().dimensions()});
  HloInstruction* every = Everywhere(c, p, u->shape().dimensions());
  HloInstruction* chosen =
      c.AddWithShape(HloOpcode::Select, u->shape(), {every, where ? u : old, where ? old : u});
  std::vector<HloInstruction*> operands(update->operands().begin(), update->operands().end());
  operands[1] = chosen;
  return c.AddWithShape(HloOpcode::DynamicUpdateSlice, update->shape(), operands);
}

// scatter(x, indices, u) where p holds, else x: with indices that are outside, which are dropped.
HloInstruction* SelectIndices(HloComputation& c, HloInstruction* scatter, HloInstruction* p,
                              bool where) {
  HloInstruction* indices = scatter->operand(1);
  const Shape& shape = indices->shape();
  const ElementType type = shape.element_type();
  if (!IsSigned(type) || scatter->attrs<ScatterAttrs>().scatter_dims_to_operand_dims.empty())
    return nullptr;
  Literal minus{Shape(ElementType::S32)};
  minus.data<int32_t>()[0] = -1;
  HloInstruction* outside = c.AddConstant(std::move(minus));
  if (type != ElementType::S32)
    outside = c.AddWithShape(HloOpcode::Convert, Shape(type), {outside});
  outside = Everywhere(c, outside, shape.dimensions());
  HloInstruction* every = Everywhere(c, p, shape.dimensions());
  HloInstruction* chosen = c.AddWithShape(
      HloOpcode::Select, shape, {every, where ? indices : outside, where ? outside : indices});
  // All that are outside are one index.
  ScatterAttrs attrs = scatter->attrs<ScatterAttrs>();
  if (shape.element_count() != static_cast<int64_t>(attrs.scatter_dims_to_operand_dims.size()))
    attrs.unique_indices = attrs.indices_are_sorted = false;
  HloComputation* combiner = scatter->called(0);
  return c.AddWithShape(HloOpcode::Scatter, scatter->shape(),
                        {scatter->operand(0), chosen, scatter->operand(2)}, std::move(attrs),
                        {&combiner, 1});
}

// A choice, for all elements alike, between an array with a part of it updated and the array as it
// is: an update of the part. The array is then neither read nor written beside it.
HloInstruction* SelectedUpdate(HloComputation& c, HloInstruction* i) {
  if (i->op() != HloOpcode::Select) return nullptr;
  HloInstruction* p = OnePredicate(i->operand(0));
  if (p == nullptr) return nullptr;
  for (const bool where : {true, false}) {
    HloInstruction *update = i->operand(where ? 1 : 2), *x = i->operand(where ? 2 : 1);
    if (update->operands().empty() || update->operand(0) != x || update->users().size() != 1)
      continue;
    if (update->op() == HloOpcode::DynamicUpdateSlice) return SelectWindow(c, update, p, where);
    if (update->op() == HloOpcode::Scatter && update->shape().is_array())
      return SelectIndices(c, update, p, where);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Pass> MakeSelectedUpdatesPass() {
  return MakeRulesPass("selected-updates", SelectedUpdate);
}

}  // namespace sinter
