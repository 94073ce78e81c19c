#include "passes/fusion/kinds.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/scalar_computation.h"
#include "target/tuning.h"

namespace sinter::fusion {

bool IsByteView(const HloInstruction& i) {
  if (i.op() != HloOpcode::BitcastConvert) return false;
  const ElementType from = i.operand(0)->shape().element_type(), to = i.shape().element_type();
  return BitWidth(from) != BitWidth(to) || IsComplex(from) || IsComplex(to);
}

bool IsView(const HloInstruction& i) {
  const HloInstruction* o = &i;
  auto is_view_of_operand = [](const HloInstruction& x) {
    return x.op() == HloOpcode::Reshape || (x.op() == HloOpcode::Slice && IsContiguousSlice(x) &&
                                            SliceOffset(x) % kViewAlignment == 0);
  };
  do {
    if (!is_view_of_operand(*o)) return false;
    o = o->operand(0);
  } while (o->op() == HloOpcode::Reshape || o->op() == HloOpcode::Slice);
  if (o->op() == HloOpcode::GetTupleElement) o = o->operand(0);
  return o->op() == HloOpcode::Parameter || o->op() == HloOpcode::While ||
         o->op() == HloOpcode::Conditional ||
         (o->op() == HloOpcode::Constant && !o->shape().is_scalar());
}

bool IsCheap(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Constant:
      return i.shape().is_scalar();
    case HloOpcode::Iota:
    case HloOpcode::Broadcast:
    case HloOpcode::Windows:  // larger than its operand
      return true;
    case HloOpcode::Convert:
      return true;
    default:
      return (IsElementwise(i.op()) || i.op() == HloOpcode::Reshape) && i.shape().is_scalar() &&
             OpCost(i) < tuning::kWorthCaching;
  }
}

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

bool ChangesFewInPlace(const HloInstruction& update) {
  const HloInstruction* array = update.operand(0);
  const int64_t n = update.shape().element_count(),
                changed = update.operand(1)->shape().element_count();
  if (n < tuning::kLeastOfFew || changed * tuning::kOfMany > n || array == update.parent()->root())
    return false;
  // What reads the array is done when the update is.
  constexpr size_t kMost = 64;
  std::vector<const HloInstruction*> before{update.operand(1)};
  for (size_t k = 0; k < before.size() && before.size() < kMost; ++k) {
    for (const HloInstruction* o : before[k]->operands())
      if (o != array && !absl::c_linear_search(before, o)) before.push_back(o);
  }
  return absl::c_all_of(array->users(), [&](const HloInstruction* u) {
    return u == &update || absl::c_linear_search(before, u);
  });
}

bool TakesFewOf(const HloInstruction& i) {
  constexpr int64_t kOfMany = 16;
  if (i.op() != HloOpcode::Slice && i.op() != HloOpcode::DynamicSlice &&
      i.op() != HloOpcode::Gather)
    return false;
  return i.shape().element_count() <= i.operand(0)->shape().element_count() / kOfMany;
}

}  // namespace sinter::fusion
