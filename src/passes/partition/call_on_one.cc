#include "passes/partition/call_on_one.h"

#include <string>
#include <utility>

#include "passes/partition/statements.h"

namespace sinter::partition {
namespace {

// A computation of the operands as one tuple.
HloComputation* Branch(ShardBuilder& b, std::string name, const Shape& operands) {
  HloComputation* c = b.computation().module()->AddComputation(std::move(name));
  c->AddParameter(0, operands, "operands");
  return c;
}

HloInstruction* CallOf(HloComputation& c, const HloInstruction& i) {
  HloInstruction* call = c.AddWithShape(i.op(), i.shape(), Graph(c, i).Elements(c.parameter(0)),
                                        i.attributes(), i.called());
  call->set_metadata(i.metadata());
  call->set_annotations(WithoutShardings(i.annotations()));
  return call;
}

HloInstruction* NothingOf(HloComputation& c, const HloInstruction& i, const Shape& shape) {
  Graph g(c, i);
  if (shape.is_array()) return g.Splat(g.Zero(shape.element_type()), shape.dimensions());
  std::vector<HloInstruction*> elements;
  if (!shape.is_tuple())
    return c.AddWithShape(HloOpcode::AfterAll, shape, absl::Span<HloInstruction* const>());
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(NothingOf(c, i, s));
  return c.AddWithShape(HloOpcode::Tuple, shape, elements);
}

}  // namespace

HloInstruction* CallOnOne(ShardBuilder& b, const HloInstruction& i,
                          const std::vector<HloInstruction*>& operands, int64_t device) {
  HloInstruction* all = b.graph().Add(HloOpcode::Tuple, operands);
  HloComputation* calls = Branch(b, "call", all->shape());
  calls->set_root(CallOf(*calls, i));
  HloComputation* waits = Branch(b, "no_call", all->shape());
  waits->set_root(NothingOf(*waits, i, i.shape()));
  HloInstruction* result =
      b.computation().AddWithShape(HloOpcode::Conditional, i.shape(),
                                   {b.IsPartition(device), all, all}, NoAttrs{}, {calls, waits});
  result->set_metadata(i.metadata());
  return result;
}

}  // namespace sinter::partition
