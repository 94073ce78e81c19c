#include "pass/inline_elementwise.h"

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/scalar_computation.h"

namespace sinter {

std::vector<HloInstruction*> InlineElementwiseResults(HloComputation& c, const HloComputation& body,
                                                      absl::Span<HloInstruction* const> arguments,
                                                      const Dims& dims) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copy;
  for (const HloInstruction* i : body.PostOrder()) {
    if (i->op() == HloOpcode::Parameter) {
      copy[i] = arguments[static_cast<size_t>(i->attrs<ParameterAttrs>().number)];
      continue;
    }
    if (i->op() == HloOpcode::Tuple) continue;  // the root
    Shape shape(i->shape().element_type(), dims);
    if (i->op() == HloOpcode::Constant) {
      copy[i] = c.AddWithShape(HloOpcode::Broadcast, shape, {c.AddConstant(i->literal())},
                               DimensionsAttrs{});
      continue;
    }
    if (!IsElementwise(i->op()) &&
        !IsElementwiseBitcast(*i)) {  // a reshape or broadcast between scalars
      copy[i] = copy[i->operand(0)];
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* o : i->operands()) operands.push_back(copy[o]);
    copy[i] = c.AddWithShape(i->op(), shape, operands, i->attributes());
  }
  if (body.root()->op() != HloOpcode::Tuple) return {copy[body.root()]};
  std::vector<HloInstruction*> results;
  for (const HloInstruction* o : body.root()->operands()) results.push_back(copy[o]);
  return results;
}

HloInstruction* InlineElementwise(HloComputation& c, const HloComputation& body,
                                  absl::Span<HloInstruction* const> arguments, const Dims& dims) {
  return InlineElementwiseResults(c, body, arguments, dims)[0];
}

}  // namespace sinter
