#include "passes/expand/participants.h"

#include "base/status.h"
#include "ir/participants.h"
#include "ir/results.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace {

// Of the sizes of `like`, where the shape has dynamic dimensions.
HloInstruction* Zeros(Graph& g, const Shape& shape, HloInstruction* like) {
  HloInstruction* zeros = g.Splat(g.Zero(shape.element_type()), shape.dimensions());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic(d)) continue;
    const DimensionsAttrs dimension{{d}};
    HloInstruction* size = g.Add(HloOpcode::GetDimensionSize, {like}, dimension);
    zeros = g.Add(HloOpcode::SetDimensionSize, {zeros, size}, dimension);
  }
  return zeros;
}

HloInstruction* Zeros(Graph& g, const HloInstruction& i) {
  if (!i.shape().is_tuple())
    return Zeros(g, i.shape(), i.operands().empty() ? nullptr : i.operand(0));
  std::vector<HloInstruction*> elements;
  for (size_t n = 0; n < i.shape().tuple_shapes().size(); ++n)
    elements.push_back(Zeros(g, i.shape().tuple_shapes()[n], i.operand(n)));
  return g.Add(HloOpcode::Tuple, elements);
}

HloInstruction* Operands(Graph& g, const HloInstruction& i) {
  std::vector<HloInstruction*> results;
  for (size_t n = 0; n < i.operands().size(); ++n) {
    const Shape& result = ResultShape(i, n);
    HloInstruction* x = i.operand(n);
    bool same = x->shape().element_type() == result.element_type();
    results.push_back(same ? x : g.Convert(x, result.element_type()));
  }
  return i.shape().is_tuple() ? g.Add(HloOpcode::Tuple, results) : results[0];
}

}  // namespace

std::unique_ptr<Pass> MakeExpandParticipantsPass() {
  return MakeExpansionPass(
      "expand-participants",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (!NeedsParticipants(i.op())) return nullptr;
        ASSIGN_OR_RETURN(Alone alone, AloneOnDevice(i));
        Graph g(c, i);
        HloInstruction* result = alone == Alone::kZero ? Zeros(g, i) : Operands(g, i);
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
