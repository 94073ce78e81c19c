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

// Whether an operation looks up an element of a table for each of its indices, as searches do.
bool LooksUp(const HloInstruction& i) {
  if (i.op() != HloOpcode::Gather) return false;
  const auto& a = i.attrs<GatherAttrs>();
  return i.operand(0)->shape().rank() == 1 && a.slice_sizes == Dims{1} &&
         i.shape().element_count() == i.operand(1)->shape().element_count();
}

// Whether large arrays meet element by element only; counts the operations.
bool IsElementwise(const HloComputation& body, int64_t& operations, bool& looks_up) {
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
        looks_up |= LooksUp(*i);
        if (IsElementwise(i->op()) || WorksOnRows(*i) || LooksUp(*i)) break;
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
  if (!counted) return false;
  int64_t operations = 0;
  bool looks_up = false;
  if (!IsElementwise(*loop.called(1), operations, looks_up)) return false;
  const int64_t turns = looks_up ? tuning::kMostLookUps : tuning::kMostUnrolledTurns,
                most = looks_up ? tuning::kMostLookUpOperations : tuning::kMostUnrolledOperations;
  if (counted->turns > turns || operations * counted->turns > most) return false;
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
