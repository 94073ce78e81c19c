#include <algorithm>

#include "eval/eval.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

constexpr int64_t kMaxBytes = 64 << 10;

bool MayFold(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Iota:
    case HloOpcode::Broadcast:
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
    default:
      break;
  }
  if (!i.shape().is_array() || i.shape().byte_size() > kMaxBytes) return false;
  return std::all_of(i.operands().begin(), i.operands().end(),
                     [](const HloInstruction* o) { return o->op() == HloOpcode::Constant; });
}

bool FoldIn(HloComputation& c) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (!MayFold(*i)) continue;
    std::vector<const Literal*> operands;
    for (const HloInstruction* o : i->operands()) operands.push_back(&o->literal());
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
