#include "passes/control/inline_calls.h"

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/expansion.h"

namespace sinter {
namespace {

// Calls of calls double what they unfold to: a short text can stand for more than any memory holds.
constexpr size_t kMostInstructions = size_t{1} << 20;

// The array operation for a scalar one: the same op on the map's dimensions.
HloInstruction* Expand(HloComputation& c, const HloInstruction& map) {
  const HloComputation& body = *map.called(0);
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copy;
  for (const HloInstruction* i : body.PostOrder()) {
    if (i->op() == HloOpcode::Parameter) {
      copy[i] = map.operand(static_cast<size_t>(i->attrs<ParameterAttrs>().number));
      continue;
    }
    Shape shape(i->shape().element_type(), map.shape().dimensions());
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
  return copy[body.root()];
}

}  // namespace

std::unique_ptr<Pass> MakeInlineCallsPass() {
  return MakeExpansionPass(
      "inline-calls", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Call && i.op() != HloOpcode::Fusion) return nullptr;
        if (c.instructions().size() + i.called(0)->instructions().size() > kMostInstructions) {
          return ResourceExhausted("calls unfold to more than {} instructions", kMostInstructions);
        }
        return c.Inline(*i.called(0), i.operands());
      });
}

std::unique_ptr<Pass> MakeExpandMapsPass() {
  return MakeExpansionPass(
      "expand-maps", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Map || i.operands().empty() || !IsScalarComputation(*i.called(0)))
          return nullptr;
        return Expand(c, i);
      });
}

}  // namespace sinter
