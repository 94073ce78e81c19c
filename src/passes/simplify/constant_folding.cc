#include <algorithm>

#include "eval/eval.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

constexpr int64_t kMaxBytes = 64 << 10;

bool MayFold(const Instruction& i) {
  switch (i.op()) {
    case Op::Parameter:
    case Op::Constant:
    case Op::Iota:
    case Op::Broadcast:
    case Op::Tuple:
    case Op::GetTupleElement:
    case Op::While:
    case Op::Conditional:
    case Op::Call:
    case Op::Fusion:
    case Op::CustomCall:
    case Op::OptimizationBarrier:
    case Op::AfterAll:
      return false;
    default:
      break;
  }
  if (!i.shape().is_array() || i.shape().byte_size() > kMaxBytes) return false;
  return std::all_of(i.operands().begin(), i.operands().end(),
                     [](const Instruction* o) { return o->op() == Op::Constant; });
}

bool FoldIn(Computation& c) {
  bool changed = false;
  for (Instruction* i : c.PostOrder()) {
    if (!MayFold(*i)) continue;
    std::vector<const Literal*> operands;
    for (const Instruction* o : i->operands()) operands.push_back(&o->literal());
    absl::StatusOr<Literal> value = EvaluateInstruction(*i, operands);
    if (!value.ok()) continue;  // what the interpreter does not know stays for the device to judge
    c.ReplaceAllUses(i, c.AddConstant(*std::move(value)));
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeConstantFoldingPass() {
  return MakePass("constant-folding", [](Module& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (Computation* c : module.PostOrder()) changed |= FoldIn(*c);
    return changed;
  });
}

}  // namespace sinter
