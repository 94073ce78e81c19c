#include <algorithm>
#include <list>
#include <vector>

#include "absl/algorithm/container.h"
#include "eval/eval.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

constexpr int64_t kMaxBytes = 64 << 10;

bool IsBroadcastConstant(const HloInstruction& i) {
  return i.op() == HloOpcode::Broadcast && i.operand(0)->op() == HloOpcode::Constant &&
         i.shape().byte_size() <= kMaxBytes;
}

bool MayFold(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Iota:
    case HloOpcode::Windows:  // repeats elements
    case HloOpcode::Tuple:
    case HloOpcode::GetTupleElement:
    case HloOpcode::While:
    case HloOpcode::Conditional:
    case HloOpcode::Call:
    case HloOpcode::Fusion:
    case HloOpcode::CustomCall:
    case HloOpcode::OptimizationBarrier:
    case HloOpcode::AfterAll:
      return false;
    case HloOpcode::Broadcast:  // that of one value costs nothing
      if (i.operand(0)->shape().is_scalar() ||
          i.operand(0)->shape().element_count() != i.shape().element_count())
        return false;
      break;
    default:
      break;
  }
  if (!i.shape().is_array() || i.shape().byte_size() > kMaxBytes) return false;
  // Constants may meet broadcasts of constants, where that gives no more elements than there are.
  int64_t most = -1;
  for (const HloInstruction* o : i.operands()) {
    const bool is_constant = o->op() == HloOpcode::Constant;
    if (!is_constant && !IsBroadcastConstant(*o)) return false;
    if (is_constant) most = std::max(most, o->shape().element_count());
  }
  return absl::c_all_of(i.operands(),
                        [](const HloInstruction* o) { return o->op() == HloOpcode::Constant; }) ||
         i.shape().element_count() <= most;
}

bool FoldIn(HloComputation& c) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (!MayFold(*i)) continue;
    std::list<Literal> broadcasts;
    std::vector<const Literal*> operands;
    absl::Status status;
    for (const HloInstruction* o : i->operands()) {
      if (o->op() == HloOpcode::Constant) {
        operands.push_back(&o->literal());
        continue;
      }
      absl::StatusOr<Literal> all = EvaluateInstruction(*o, {&o->operand(0)->literal()});
      status.Update(all.status());
      if (all.ok()) operands.push_back(&broadcasts.emplace_back(*std::move(all)));
    }
    if (!status.ok()) continue;
    absl::StatusOr<Literal> value = EvaluateInstruction(*i, operands);
    if (!value.ok()) continue;  // what the interpreter refuses is left to the device
    c.ReplaceAllUses(i, c.AddConstant(*std::move(value)));
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeConstantFoldingPass() {
  return MakePass("constant-folding", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= FoldIn(*c);
    return changed;
  });
}

}  // namespace sinter
