#include "passes/expand/layouts.h"

#include "base/status.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "types/leaves.h"

namespace sinter {
namespace {

absl::StatusOr<bool> ExpandLayouts(HloModule& module) {
  bool changed = false;
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (!HasLayout(i->shape())) continue;
      i->set_shape(RowMajor(i->shape()));
      changed = true;
    }
  }
  return changed;
}

enum class To { kMemory, kRowMajor };

// From row-major arrays to their order in memory, that of `s`, or back.
HloInstruction* Moved(Graph& g, HloInstruction* x, const Shape& s, To to) {
  if (!HasLayout(s)) return x;
  if (s.is_tuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& e : s.tuple_shapes()) {
      HloInstruction* element = g.Element(x, static_cast<int64_t>(elements.size()));
      elements.push_back(Moved(g, element, e, to));
    }
    return g.Add(HloOpcode::Tuple, elements);
  }
  Dims order = MajorToMinor(s);
  if (to == To::kRowMajor) order = InversePermutation(order);
  return g.Transpose(x, order);
}

absl::StatusOr<HloInstruction*> ExpandCall(HloComputation& c, HloInstruction& i) {
  if (i.op() != HloOpcode::CustomCall || i.attrs<CustomCallAttrs>().layouts.empty()) return nullptr;
  auto attrs = i.attrs<CustomCallAttrs>();
  const CustomCallLayouts layouts = std::exchange(attrs.layouts, {});
  Graph g(c, i);
  absl::Span<const Dims> rest = layouts.operands;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* x : i.operands())
    operands.push_back(Moved(g, x, InLayouts(x->shape(), rest), To::kMemory));
  rest = layouts.results;
  const Shape result = InLayouts(i.shape(), rest), given = InMemory(result);
  // What shares memory is alike there.
  std::erase_if(attrs.output_to_operand_aliasing, [&](const OutputOperandAlias& a) {
    const Shape& operand = operands[static_cast<size_t>(a.operand)]->shape();
    return !Shape::Compatible(*Subshape(operand, a.operand_index),
                              *Subshape(given, a.output_index));
  });
  HloInstruction* call =
      g.Add(HloOpcode::CustomCall, operands, std::move(attrs), i.called(), &given);
  HloInstruction* value = Moved(g, call, result, To::kRowMajor);
  RETURN_IF_ERROR(g.status());
  return value;
}

}  // namespace

HloInstruction* MovedToMemory(Graph& g, HloInstruction* x, const Shape& shape) {
  return Moved(g, x, shape, To::kMemory);
}
HloInstruction* MovedToRowMajor(Graph& g, HloInstruction* x, const Shape& shape) {
  return Moved(g, x, shape, To::kRowMajor);
}

std::unique_ptr<Pass> MakeExpandLayoutsPass() { return MakePass("expand-layouts", ExpandLayouts); }

std::unique_ptr<Pass> MakeExpandCustomCallLayoutsPass() {
  return MakeExpansionPass("expand-custom-call-layouts", ExpandCall);
}

}  // namespace sinter
