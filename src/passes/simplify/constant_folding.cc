#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "base/status.h"
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
  bool are_constants = true;
  int64_t most = -1;
  for (const HloInstruction* o : i.operands()) {
    if (o->op() == HloOpcode::Constant) {
      most = std::max(most, o->shape().element_count());
    } else if (IsBroadcastConstant(*o)) {
      are_constants = false;
    } else {
      return false;
    }
  }
  return are_constants || i.shape().element_count() <= most;
}

absl::StatusOr<Literal> Fold(const HloInstruction& i) {
  std::list<Literal> broadcasts;  // that operands point to
  std::vector<const Literal*> operands;
  for (const HloInstruction* o : i.operands()) {
    if (o->op() == HloOpcode::Constant) {
      operands.push_back(&o->literal());
      continue;
    }
    ASSIGN_OR_RETURN(Literal all, EvaluateInstruction(*o, {&o->operand(0)->literal()}));
    operands.push_back(&broadcasts.emplace_back(std::move(all)));
  }
  return EvaluateInstruction(i, operands);
}

bool FoldIn(HloComputation& c) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (!MayFold(*i)) continue;
    absl::StatusOr<Literal> value = Fold(*i);
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
