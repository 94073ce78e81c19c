#include "passes/fusion/kinds.h"

#include "ir/analysis/scalar_computation.h"
#include "passes/fusion/groups.h"

namespace sinter::fusion {

bool IsComputing(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Iota:
    case HloOpcode::Broadcast:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Pad:
    case HloOpcode::Concatenate:
    case HloOpcode::Reverse:
    case HloOpcode::Windows:
    case HloOpcode::DynamicSlice:
    case HloOpcode::DynamicUpdateSlice:
    case HloOpcode::Gather:
    case HloOpcode::Reshape:
    case HloOpcode::Reduce:
    case HloOpcode::Dot:
    case HloOpcode::ReduceWindow:  // cumulative ones, which other passes have left
      return true;
    case HloOpcode::BitcastConvert:
      return !IsByteView(i);
    case HloOpcode::While:
      return IsScalarLoop(i) || IsElementwiseLoop(i);
    case HloOpcode::Constant:
      return false;
    default:
      return IsElementwise(i.op());
  }
}
bool GivesTuple(const HloInstruction& i) {
  return i.op() == HloOpcode::While ||
         ((i.op() == HloOpcode::Reduce || i.op() == HloOpcode::ReduceWindow) &&
          i.shape().is_tuple());
}

bool IsWindow(const HloInstruction& i) {
  if (i.op() != HloOpcode::DynamicUpdateSlice || i.operand(1)->shape().element_count() == 0)
    return false;
  const HloInstruction* base = i.operand(0);
  while (base->op() == HloOpcode::DynamicUpdateSlice) base = base->operand(0);
  return !IsComputing(*base) || IsView(*base);
}

bool TakesFewOf(const HloInstruction& i) {
  constexpr int64_t kOfMany = 16;
  if (i.op() != HloOpcode::Slice && i.op() != HloOpcode::DynamicSlice &&
      i.op() != HloOpcode::Gather)
    return false;
  return i.shape().element_count() <= i.operand(0)->shape().element_count() / kOfMany;
}

}  // namespace sinter::fusion
