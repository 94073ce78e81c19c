#include "ir/analysis/computed_stack.h"

#include "absl/algorithm/container.h"
#include "target/tuning.h"

namespace sinter {

bool IsComputedStack(const HloInstruction& x, int64_t dim) {
  if (x.op() != HloOpcode::Concatenate || x.dimensions()[0] != dim ||
      std::ssize(x.operands()) != x.shape().dimension(dim) ||
      x.shape().dimension(dim) > tuning::kMostSharedElements)
    return false;
  return absl::c_any_of(x.operands(), [](const HloInstruction* o) {
    while (o->op() == HloOpcode::Reshape ||
           (o->op() == HloOpcode::Broadcast &&
            o->shape().element_count() == o->operand(0)->shape().element_count()))
      o = o->operand(0);
    return IsElementwise(o->op());
  });
}

}  // namespace sinter
