#include <utility>
#include <vector>

#include "ir/analysis/negative_zero.h"
#include "pass/graph.h"
#include "passes/simplify/known_value.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// Of arrays of fewer elements a sum of all of them, which joins what else is added, takes less time
// than updates one after another: guess.
constexpr int64_t kFewestElements = 1024;

// Whether a loop may change it in place: its state, or what updates that.
bool IsState(const HloInstruction& x, const NegativeZeros& zeros) {
  const HloInstruction* i = &x;
  while (i->op() == HloOpcode::DynamicUpdateSlice || i->op() == HloOpcode::Scatter)
    i = i->operand(0);
  return i->op() == HloOpcode::GetTupleElement && i->operand(0)->op() == HloOpcode::Parameter &&
         zeros.LoopOf(*i->parent()) != nullptr;
}

bool AddsOneByOne(const HloInstruction& scatter) {
  const HloComputation& combiner = *scatter.called(0);
  const HloInstruction& root = *combiner.root();
  return scatter.shape().is_array() && root.op() == HloOpcode::Add &&
         root.operand(0)->op() == HloOpcode::Parameter &&
         root.operand(1)->op() == HloOpcode::Parameter && root.operand(0) != root.operand(1) &&
         root.operand(0)->shape().element_type() == scatter.shape().element_type();
}

// The array `x`, which has the update's dimensions, with `part` added to its elements from `starts`
// on.
HloInstruction* AddPart(Graph& g, HloInstruction* x, HloInstruction* part,
                        absl::Span<HloInstruction* const> starts) {
  std::vector<HloInstruction*> at{x};
  at.insert(at.end(), starts.begin(), starts.end());
  HloInstruction* old =
      g.Add(HloOpcode::DynamicSlice, at, DynamicSliceAttrs{part->shape().dimensions()});
  std::vector<HloInstruction*> operands{x, g.Add(HloOpcode::Add, {old, part})};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return g.Add(HloOpcode::DynamicUpdateSlice, operands);
}

// The sum of `x` and `update`, zeros of which a part is replaced by something; null where there is
// none, or where zeros change what they are added to.
HloInstruction* Added(HloComputation& c, HloInstruction* x, HloInstruction* update,
                      NegativeZeros& zeros) {
  const bool is_pad = update->op() == HloOpcode::Pad;
  if ((update->op() != HloOpcode::DynamicUpdateSlice && update->op() != HloOpcode::Scatter &&
       !is_pad) ||
      update->users().size() != 1 || !IsState(*x, zeros))
    return nullptr;
  // Numbers that are not -0 stay what they are when 0 is added, all do when -0 is.
  const HloInstruction* rest = update->operand(is_pad ? 1 : 0);
  if (!IsSplat(rest, -0.0) && !(IsSplat(rest, 0) && zeros.HasNone(*x))) return nullptr;
  if (update->op() != HloOpcode::Scatter && x->shape().element_count() < kFewestElements)
    return nullptr;
  Graph g(c, *update);
  HloInstruction* sum = nullptr;
  if (update->op() == HloOpcode::Scatter) {
    if (!AddsOneByOne(*update)) return nullptr;
    HloComputation* combiner = update->called(0);
    sum = g.Add(HloOpcode::Scatter, {x, update->operand(1), update->operand(2)},
                update->attributes(), {&combiner, 1});
  } else if (is_pad) {
    HloInstruction* part = update->operand(0);
    const auto& pad = update->attrs<PadAttrs>();
    for (size_t d = 0; d < pad.low.size(); ++d)
      if (pad.low[d] < 0 || pad.high[d] < 0 || pad.interior[d] != 0) return nullptr;
    if (pad.low.empty() || 2 * part->shape().byte_size() > x->shape().byte_size()) return nullptr;
    std::vector<HloInstruction*> starts;
    for (int64_t low : pad.low)
      starts.push_back(g.Scalar(ElementType::S64, static_cast<double>(low)));
    sum = AddPart(g, x, part, starts);
  } else {
    sum = AddPart(g, x, update->operand(1), absl::MakeSpan(update->operands()).subspan(2));
  }
  return g.status().ok() ? sum : nullptr;
}

bool ApplyIn(HloComputation& c, NegativeZeros& zeros) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->op() != HloOpcode::Add) continue;
    HloInstruction* sum = Added(c, i->operand(0), i->operand(1), zeros);
    if (sum == nullptr) sum = Added(c, i->operand(1), i->operand(0), zeros);
    if (sum == nullptr) continue;
    c.ReplaceAllUses(i, sum);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeAddedUpdatesPass() {
  return MakePass("added-updates", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    NegativeZeros zeros(module);
    for (HloComputation* c : module.PostOrder())
      if (zeros.LoopOf(*c) != nullptr) changed |= ApplyIn(*c, zeros);
    return changed;
  });
}

}  // namespace sinter
