#include "passes/control/barriers.h"

#include "pass/expansion.h"

namespace sinter {

std::unique_ptr<Pass> MakeBarriersPass() {
  return MakeExpansionPass(
      "barriers", [](HloComputation&, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        const bool is_of_one = i.op() == HloOpcode::OptimizationBarrier && i.shape().is_array();
        return is_of_one && i.operand(0)->op() != HloOpcode::Constant ? i.operand(0) : nullptr;
      });
}

}  // namespace sinter
