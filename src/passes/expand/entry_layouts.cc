#include "passes/expand/entry_layouts.h"

#include "base/status.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "pass/graph.h"
#include "passes/expand/layouts.h"
#include "types/leaves.h"

namespace sinter {
namespace {

// Empty where all are row-major.
absl::StatusOr<std::vector<Dims>> LayoutsOf(absl::Span<const Shape> shapes) {
  std::vector<Dims> layouts;
  bool any = false;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : Leaves(shape)) {
      const bool moved = leaf->is_array() && HasLayout(*leaf);
      if (moved && !leaf->is_static())
        return Unimplemented("an argument or result {}: the layout of dynamic sizes",
                             leaf->ToString());
      layouts.push_back(moved ? leaf->minor_to_major() : Dims{});
      any |= moved;
    }
  }
  if (!any) layouts.clear();
  return layouts;
}

bool AreAlike(const HloModule& module, const InputOutputAlias& a) {
  const HloComputation& entry = *module.entry();
  const Shape* from =
      Subshape(entry.parameter(static_cast<size_t>(a.parameter))->shape(), a.parameter_index);
  const Shape* to = Subshape(entry.root()->shape(), a.output_index);
  return from != nullptr && to != nullptr && Shape::Compatible(*from, *to);
}

}  // namespace

absl::StatusOr<EntryLayouts> StatedLayouts(const HloModule& module) {
  const ComputationShape stated = module.entry()->shape();
  EntryLayouts out;
  ASSIGN_OR_RETURN(out.parameters, LayoutsOf(stated.parameters));
  ASSIGN_OR_RETURN(out.results, LayoutsOf({&stated.result, 1}));
  return out;
}

absl::Status MoveEntryToMemory(HloModule& module, const EntryLayouts& layouts) {
  HloComputation& entry = *module.entry();
  absl::Span<const Dims> rest = layouts.parameters;
  const std::vector<HloInstruction*> parameters = entry.parameters();
  for (HloInstruction* p : parameters) {
    const Shape shape = InLayouts(p->shape(), rest);
    p->set_shape(InMemory(shape));
    if (!HasLayout(shape)) continue;
    const std::vector<HloInstruction*> users = p->users();
    Graph g(entry, *p);
    HloInstruction* moved = MovedToRowMajor(g, p, shape);
    RETURN_IF_ERROR(g.status());
    for (HloInstruction* user : users) {
      for (size_t i = 0; i < user->operands().size(); ++i) {
        if (user->operand(i) == p) user->ReplaceOperand(i, moved);
      }
    }
    if (entry.root() == p) entry.set_root(moved);
  }
  rest = layouts.results;
  const Shape shape = InLayouts(entry.root()->shape(), rest);
  if (HasLayout(shape)) {
    Graph g(entry, *entry.root());
    HloInstruction* moved = MovedToMemory(g, entry.root(), shape);
    RETURN_IF_ERROR(g.status());
    entry.set_root(moved);
  }
  std::erase_if(module.aliases(), [&](const InputOutputAlias& a) { return !AreAlike(module, a); });
  return absl::OkStatus();
}

ComputationShape InLayouts(const ComputationShape& shape, const EntryLayouts& layouts) {
  ComputationShape out;
  absl::Span<const Dims> rest = layouts.parameters;
  for (const Shape& p : shape.parameters) out.parameters.push_back(InLayouts(p, rest));
  rest = layouts.results;
  out.result = InLayouts(shape.result, rest);
  return out;
}

}  // namespace sinter
