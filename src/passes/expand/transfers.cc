#include "passes/expand/transfers.h"

#include "base/status.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "transfer/targets.h"

namespace sinter {

std::unique_ptr<Pass> MakeExpandTransfersPass() {
  return MakeExpansionPass(
      "expand-transfers",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        const bool infeed = i.op() == HloOpcode::Infeed;
        if (!infeed && i.op() != HloOpcode::Outfeed) return nullptr;
        const Shape& data = infeed ? i.shape().tuple_shapes()[0] : i.operand(0)->shape();
        CustomCallAttrs call;
        call.custom_call_target = infeed ? kInfeedTarget : kOutfeedTarget;
        call.opaque = data.ToString();
        call.has_side_effect = true;
        Graph g(c, i);
        const Shape shape = i.shape();
        HloInstruction* result =
            g.Add(HloOpcode::CustomCall, i.operands(), std::move(call), {}, &shape);
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
