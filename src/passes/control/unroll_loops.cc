#include "passes/control/unroll_loops.h"

#include <optional>

#include "ir/analysis/counted_loop.h"
#include "ir/analysis/short_dimensions.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Whether an operation that moves elements works on the short rows of arrays only (with an index a
// row, say): such rows become arrays of their own (passes/layout), where the rest is elementwise.
bool WorksOnRows(const HloInstruction& i) {
  if (i.op() != HloOpcode::Gather && i.op() != HloOpcode::Scatter &&
      i.op() != HloOpcode::DynamicSlice && i.op() != HloOpcode::DynamicUpdateSlice &&
      i.op() != HloOpcode::Slice)
    return false;
  return i.shape().is_array() && ShortDimensions(i.operand(0)->shape()) > 0 &&
         ShortDimensions(i.shape()) > 0;
}

// Whether large arrays meet element by element only; counts the operations.
bool IsElementwise(const HloComputation& body, int64_t& operations) {
  for (const HloInstruction* i : body.PostOrder()) {
    switch (i->op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
      case HloOpcode::GetTupleElement:
      case HloOpcode::Tuple:
        continue;
      case HloOpcode::Broadcast:
      case HloOpcode::Reshape:
      case HloOpcode::Iota:
        break;
      default:
        if (IsElementwise(i->op()) || WorksOnRows(*i)) break;
        if (Info(i->op()).kind != OpKind::kIndexMap) return false;
        for (const HloInstruction* o : i->operands())
          if (o->shape().element_count() > tuning::kFewElements) return false;
        if (i->shape().element_count() > tuning::kFewElements) return false;
    }
    ++operations;
  }
  return true;
}

bool Unroll(HloComputation& c, HloInstruction& loop) {
  if (!loop.shape().is_tuple() || loop.called(1)->root()->op() != HloOpcode::Tuple) return false;
  const std::optional<CountedLoop> counted = CountTurns(loop);
  if (!counted || counted->turns > tuning::kMostUnrolledTurns) return false;
  int64_t operations = 0;
  if (!IsElementwise(*loop.called(1), operations) ||
      operations * counted->turns > tuning::kMostUnrolledOperations)
    return false;
  HloInstruction* state = loop.operand(0);
  for (int64_t k = 0; k < counted->turns; ++k) {
    HloInstruction* const argument[] = {state};
    state = c.Inline(*loop.called(1), argument);
  }
  c.ReplaceAllUses(&loop, state);
  return true;
}

}  // namespace

std::unique_ptr<Pass> MakeUnrollLoopsPass() {
  return MakePass("unroll-loops", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder())
        if (i->op() == HloOpcode::While) own |= Unroll(*c, *i);
      if (own) c->RemoveDead();
      changed |= own;
    }
    if (changed) module.RemoveUnreachable();
    return changed;
  });
}

}  // namespace sinter
