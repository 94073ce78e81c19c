#include "passes/control/unroll_loops.h"

#include <optional>

#include "ir/analysis/short_dimensions.h"
#include "ir/ops/comparison.h"
#include "target/tuning.h"

namespace sinter {
namespace {

std::optional<int64_t> KnownInteger(const HloInstruction* i) {
  if (i->op() != HloOpcode::Constant || !i->shape().is_array() || i->shape().rank() != 0 ||
      !IsInteger(i->shape().element_type()) || BitWidth(i->shape().element_type()) > 32)
    return std::nullopt;
  return static_cast<int64_t>(i->literal().GetAsDouble(0));
}

// Which element of the parameter, a tuple, it is; -1: none.
int64_t ElementOf(const HloInstruction* i, const HloInstruction* parameter) {
  return i->op() == HloOpcode::GetTupleElement && i->operand(0) == parameter
             ? i->attrs<TupleElementAttrs>().index
             : -1;
}

// How often the loop runs, if its condition compares a counter with a constant, the counter begins
// at a constant and a constant is added to it each time; nothing if that is not so, or too often.
std::optional<int64_t> TurnsOf(const HloInstruction& loop) {
  const HloComputation &condition = *loop.called(0), &body = *loop.called(1);
  const HloInstruction *test = condition.root(), *init = loop.operand(0), *next = body.root();
  if (test->op() != HloOpcode::Compare || init->op() != HloOpcode::Tuple ||
      next->op() != HloOpcode::Tuple)
    return std::nullopt;
  const int64_t k = ElementOf(test->operand(0), condition.parameter(0));
  const std::optional<int64_t> end = KnownInteger(test->operand(1));
  if (k < 0 || !end) return std::nullopt;
  const HloInstruction* counter = next->operand(static_cast<size_t>(k));
  const std::optional<int64_t> first = KnownInteger(init->operand(static_cast<size_t>(k)));
  if (!first || counter->operands().size() != 2) return std::nullopt;
  std::optional<int64_t> step;
  const HloInstruction* parameter = body.parameter(0);
  if (ElementOf(counter->operand(0), parameter) == k) {
    step = KnownInteger(counter->operand(1));
    if (step && counter->op() == HloOpcode::Subtract) step = -*step;
  } else if (ElementOf(counter->operand(1), parameter) == k && counter->op() == HloOpcode::Add) {
    step = KnownInteger(counter->operand(0));
  }
  if (!step || (counter->op() != HloOpcode::Add && counter->op() != HloOpcode::Subtract))
    return std::nullopt;
  const ElementType type = counter->shape().element_type();
  const int bits = BitWidth(type);
  const int64_t least = IsSigned(type) ? -(int64_t{1} << (bits - 1)) : 0,
                most = IsSigned(type) ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
  int64_t at = *first;
  for (int64_t turns = 0; turns <= tuning::kMostUnrolledTurns; ++turns) {
    if (!Holds(test->attrs<CompareAttrs>().direction, at, *end)) return turns;
    at += *step;
    if (at < least || at > most) return std::nullopt;
  }
  return std::nullopt;
}

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
  const std::optional<int64_t> turns = TurnsOf(loop);
  if (!turns) return false;
  int64_t operations = 0;
  if (!IsElementwise(*loop.called(1), operations) ||
      operations * *turns > tuning::kMostUnrolledOperations)
    return false;
  HloInstruction* state = loop.operand(0);
  for (int64_t k = 0; k < *turns; ++k) {
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
