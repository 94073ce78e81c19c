#include "passes/control/conditionals.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "ir/analysis/op_cost.h"
#include "pass/carries.h"
#include "pass/graph.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// The branch that runs whatever the program's inputs are.
std::optional<size_t> KnownChoice(const HloInstruction& i) {
  if (i.called().size() == 1) return 0;
  const HloInstruction* selector = i.operand(0);
  if (selector->op() != HloOpcode::Constant) return std::nullopt;
  if (selector->shape().element_type() == ElementType::PRED)
    return selector->literal().data<bool>()[0] ? 0 : 1;
  const int64_t last = static_cast<int64_t>(i.called().size()) - 1;
  const int64_t k = selector->literal().data<int32_t>()[0];
  return static_cast<size_t>(k < 0 || k > last ? last : k);
}

// Simple operations of a branch that can be computed whether it is chosen or not; nothing where it
// cannot, or is not worth it.
std::optional<double> CostOfBranch(const HloComputation& branch) {
  double cost = 0;
  for (const HloInstruction* i : branch.PostOrder()) {
    switch (i->op()) {
      case HloOpcode::Parameter:
      case HloOpcode::GetTupleElement:
      case HloOpcode::Constant:
        continue;
      case HloOpcode::Tuple:
        if (i != branch.root()) return std::nullopt;
        continue;
      default:
        break;
    }
    const OpKind kind = Info(i->op()).kind;
    if (!i->shape().is_array() || i->HasSideEffect() || !i->called().empty() ||
        (kind != OpKind::kElementwise && kind != OpKind::kIndexMap && i->op() != HloOpcode::Iota))
      return std::nullopt;
    cost += std::max(OpCost(*i), 1.0) * static_cast<double>(i->shape().element_count());
    if (cost > tuning::kMostSelected) return std::nullopt;
  }
  return cost;
}

class Conditionals {
 public:
  Conditionals(HloComputation& c, Callers& callers) : c_(c), callers_(callers) {}

  absl::StatusOr<bool> Simplify(HloInstruction& i) {
    if (const std::optional<size_t> k = KnownChoice(i)) {
      // Effects take place in the order of addition, and inlined ones would come last.
      if (i.HasSideEffect()) return false;
      c_.ReplaceAllUses(&i, Inlined(i, *k));
      return true;
    }
    if (IsWorthSelecting(i)) {
      ASSIGN_OR_RETURN(HloInstruction * result, Select(i));
      c_.ReplaceAllUses(&i, result);
      return true;
    }
    bool changed = ReadAsBefore(i);
    changed |= DropResults(i);
    for (size_t b = 0; b < i.called().size(); ++b) {
      if (callers_.at(i.called(b)) != 1) continue;
      changed |= KnowConstants(i.operand(b + 1), *i.called(b), {});
      changed |= DropOperands(i, b);
    }
    return changed;
  }

  // What the loop carries and does not change.
  bool KnowConstantsOf(HloInstruction& loop) {
    HloComputation &condition = *loop.called(0), &body = *loop.called(1);
    if (callers_.at(&condition) != 1 || callers_.at(&body) != 1 ||
        loop.operand(0)->op() != HloOpcode::Tuple || body.root()->op() != HloOpcode::Tuple)
      return false;
    std::vector<bool> changes;
    for (size_t k = 0; k < body.root()->operands().size(); ++k)
      changes.push_back(!IsPassedOn(loop, k));
    bool changed = KnowConstants(loop.operand(0), condition, changes);
    changed |= KnowConstants(loop.operand(0), body, changes);
    return changed;
  }

  // What the loop only passes on is the same after it as before.
  bool DropPassedOn(HloInstruction& loop) {
    if (!CarriesElements(loop, callers_)) return false;
    const std::vector<bool> compared = UsedElements(*loop.called(0)->parameter(0));
    const HloInstruction &state = *loop.called(1)->parameter(0), &next = *loop.called(1)->root();
    std::vector<bool> kept(compared.size());
    for (size_t k = 0; k < kept.size(); ++k) kept[k] = compared[k] || !IsPassedOn(loop, k);
    for (const HloInstruction* element : state.users()) {
      auto is_next = [&](const HloInstruction* u) {
        if (u != &next) return false;
        for (size_t k = 0; k < kept.size(); ++k)
          if (next.operand(k) == element && k != IndexOf(element)) return false;
        return true;
      };
      if (!absl::c_all_of(element->users(), is_next)) kept[IndexOf(element)] = true;
    }
    if (!IsSelection(kept)) return false;
    TakeApart(loop);
    const std::vector<HloInstruction*> users = loop.users();
    for (HloInstruction* u : users)
      if (!kept[IndexOf(u)]) c_.ReplaceAllUses(u, InitialElement(loop, IndexOf(u)));
    DropCarries(loop, kept);
    return true;
  }

  // What neither the results that are read, nor the condition, nor effects depend on, turn by turn.
  bool DropUnread(HloInstruction& loop) {
    if (!CarriesElements(loop, callers_) || !IsTakenApart(&loop) || c_.root() == &loop)
      return false;
    const HloComputation& body = *loop.called(1);
    const HloInstruction* state = body.parameter(0);
    const std::vector<bool> compared = UsedElements(*loop.called(0)->parameter(0));
    std::vector<bool> kept = UsedElements(loop);
    absl::flat_hash_set<const HloInstruction*> seen;
    std::vector<const HloInstruction*> stack;
    for (const auto& i : body.instructions())
      if (i->HasSideEffect()) stack.push_back(i.get());
    for (size_t k = 0; k < kept.size(); ++k) {
      kept[k] = kept[k] || compared[k];
      if (kept[k]) stack.push_back(body.root()->operand(k));
    }
    while (!stack.empty()) {
      const HloInstruction* i = stack.back();
      stack.pop_back();
      if (!seen.insert(i).second) continue;
      if (IsElementOf(i, state) && !kept[IndexOf(i)]) {
        kept[IndexOf(i)] = true;
        stack.push_back(body.root()->operand(IndexOf(i)));
      }
      absl::c_copy(i->operands(), std::back_inserter(stack));
    }
    if (!IsSelection(kept)) return false;
    DropCarries(loop, kept);
    return true;
  }

 private:
  // Some, not all: a loop carries something.
  static bool IsSelection(const std::vector<bool>& kept) {
    return absl::c_linear_search(kept, false) && absl::c_linear_search(kept, true);
  }
  HloInstruction* Inlined(const HloInstruction& i, size_t branch) {
    for (const auto& instruction : i.called(branch)->instructions())
      for (const HloComputation* called : instruction->called()) ++callers_[called];
    HloInstruction* const argument[] = {i.operand(branch + 1)};
    return c_.Inline(*i.called(branch), argument);
  }

  // Result k of the branch, as an instruction around the conditional, if it passes on what is
  // there.
  static const HloInstruction* PassedOn(const HloInstruction& i, size_t branch, size_t k) {
    const HloComputation& c = *i.called(branch);
    const HloInstruction* result = c.root();
    if (i.shape().is_tuple()) {
      if (result->op() != HloOpcode::Tuple) return nullptr;
      result = result->operand(k);
    }
    if (result == c.parameter(0)) return i.operand(branch + 1);
    if (!IsElementOf(result, c.parameter(0)) || i.operand(branch + 1)->op() != HloOpcode::Tuple)
      return nullptr;
    return i.operand(branch + 1)->operand(IndexOf(result));
  }
  // What all branches pass on.
  static const HloInstruction* AllPassOn(const HloInstruction& i, size_t k) {
    const HloInstruction* first = PassedOn(i, 0, k);
    for (size_t b = 1; first != nullptr && b < i.called().size(); ++b)
      if (PassedOn(i, b, k) != first) return nullptr;
    return first;
  }

  bool IsWorthSelecting(const HloInstruction& i) const {
    if (i.HasSideEffect()) return false;
    const std::vector<Shape> one{i.shape()};
    const std::vector<Shape>& results = i.shape().is_tuple() ? i.shape().tuple_shapes() : one;
    double cost = 0;
    for (size_t k = 0; k < results.size(); ++k) {
      if (!results[k].is_array()) return false;
      if (AllPassOn(i, k) == nullptr) cost += static_cast<double>(results[k].element_count());
    }
    for (const HloComputation* branch : i.called()) {
      const std::optional<double> own = CostOfBranch(*branch);
      if (!own) return false;
      cost += *own;
    }
    return cost <= tuning::kMostSelected;
  }

  absl::StatusOr<HloInstruction*> Select(const HloInstruction& i) {
    Graph g(c_, i);
    const size_t branches = i.called().size();
    HloInstruction* selector = i.operand(0);
    std::vector<HloInstruction*> chosen = g.Elements(Inlined(i, branches - 1));
    for (size_t b = branches - 1; b-- > 0;) {
      const std::vector<HloInstruction*> other = g.Elements(Inlined(i, b));
      HloInstruction* is_other = selector;
      if (selector->shape().element_type() != ElementType::PRED)
        is_other =
            g.Compare(selector, c_.AddConstant(Literal::R0<int32_t>(static_cast<int32_t>(b))),
                      ComparisonDirection::kEq);
      for (size_t k = 0; k < chosen.size(); ++k) {
        if (const HloInstruction* before = AllPassOn(i, k)) {
          chosen[k] = const_cast<HloInstruction*>(before);
          continue;
        }
        const Dims& sizes = chosen[k]->shape().dimensions();
        HloInstruction* each = sizes.empty() ? is_other : g.Splat(is_other, sizes);
        chosen[k] = g.Add(HloOpcode::Select, {each, other[k], chosen[k]});
      }
    }
    HloInstruction* result = i.shape().is_tuple() ? g.Add(HloOpcode::Tuple, chosen) : chosen[0];
    RETURN_IF_ERROR(g.status());
    return result;
  }

  // Users of what all branches pass on.
  bool ReadAsBefore(HloInstruction& i) {
    if (!i.shape().is_tuple()) {
      const HloInstruction* before = AllPassOn(i, 0);
      if (before == nullptr || (i.users().empty() && c_.root() != &i)) return false;
      c_.ReplaceAllUses(&i, const_cast<HloInstruction*>(before));
      return true;
    }
    bool changed = false;
    const std::vector<HloInstruction*> users = i.users();
    for (HloInstruction* u : users) {
      if (!IsElementOf(u, &i) || (u->users().empty() && c_.root() != u)) continue;
      const HloInstruction* before = AllPassOn(i, IndexOf(u));
      if (before == nullptr) continue;
      c_.ReplaceAllUses(u, const_cast<HloInstruction*>(before));
      changed = true;
    }
    return changed;
  }

  bool DropResults(HloInstruction& i) {
    if (!i.shape().is_tuple() || !IsTakenApart(&i)) return false;
    for (const HloComputation* branch : i.called()) {
      if (callers_.at(branch) != 1 || branch->root()->op() != HloOpcode::Tuple ||
          !branch->root()->users().empty())
        return false;
    }
    const std::vector<bool> kept = UsedElements(i);
    // One that nobody uses at all is dead.
    if (!absl::c_linear_search(kept, false) || !absl::c_linear_search(kept, true)) return false;
    for (HloComputation* branch : i.called()) {
      branch->set_root(Narrowed(*branch->root(), kept));
      branch->RemoveDead();
    }
    Narrow(i, kept);
    return true;
  }

  bool DropOperands(HloInstruction& i, size_t b) {
    HloInstruction *operand = i.operand(b + 1), *parameter = i.called(b)->parameter(0);
    if (operand->op() != HloOpcode::Tuple || !IsTakenApart(parameter)) return false;
    const std::vector<bool> kept = UsedElements(*parameter);
    if (!absl::c_linear_search(kept, false)) return false;
    Narrow(*parameter, kept);
    i.ReplaceOperand(b + 1, Narrowed(*operand, kept));
    return true;
  }

  // What is known without much memory: a few numbers, or one repeated.
  static bool IsKnown(const HloInstruction& i) {
    if (i.op() == HloOpcode::Broadcast)
      return i.operand(0)->op() == HloOpcode::Constant && i.operand(0)->shape().is_scalar();
    return i.op() == HloOpcode::Constant && i.shape().element_count() <= tuning::kMostKnownElements;
  }
  static HloInstruction* Known(HloComputation& c, const HloInstruction& i) {
    if (i.op() == HloOpcode::Constant) return c.AddConstant(i.literal());
    return c.AddWithShape(i.op(), i.shape(), {{c.AddConstant(i.operand(0)->literal())}},
                          i.attributes());
  }

  // What is known of `argument` is known in the computation.
  static bool KnowConstants(const HloInstruction* argument, HloComputation& c,
                            const std::vector<bool>& changes) {
    HloInstruction* parameter = c.parameter(0);
    auto replace = [&](HloInstruction* i, const HloInstruction* with) {
      const bool is_passed_on = i->users().size() == 1 && i->users()[0] == c.root() &&
                                c.root()->op() == HloOpcode::Tuple && !changes.empty();
      if (!IsKnown(*with) || is_passed_on || (i->users().empty() && c.root() != i)) return false;
      HloInstruction* constant = Known(c, *with);
      const std::vector<HloInstruction*> next = c.root()->op() == HloOpcode::Tuple
                                                    ? c.root()->operands()
                                                    : std::vector<HloInstruction*>{};
      c.ReplaceAllUses(i, constant);
      // A loop goes on passing it on.
      for (size_t k = 0; k < next.size() && !changes.empty(); ++k)
        if (next[k] == i) c.root()->ReplaceOperand(k, i);
      return true;
    };
    if (argument->shape().is_array()) return replace(parameter, argument);
    if (argument->op() != HloOpcode::Tuple) return false;
    bool changed = false;
    const std::vector<HloInstruction*> users = parameter->users();
    for (HloInstruction* u : users) {
      if (!IsElementOf(u, parameter) || (!changes.empty() && changes[IndexOf(u)])) continue;
      changed |= replace(u, argument->operand(IndexOf(u)));
    }
    return changed;
  }

  HloComputation& c_;
  Callers& callers_;
};

absl::StatusOr<bool> SimplifyIn(HloModule& module) {
  const std::vector<HloComputation*> computations = module.PostOrder();
  Callers callers = CountCallers(module);
  bool changed = false;
  // Callers first: what they know is known in what they call.
  for (size_t k = computations.size(); k-- > 0;) {
    HloComputation& c = *computations[k];
    Conditionals conditionals(c, callers);
    bool own = false;
    // What takes their results apart may be removed on the way.
    std::vector<HloInstruction*> control;
    for (HloInstruction* i : c.PostOrder())
      if (i->op() == HloOpcode::Conditional || i->op() == HloOpcode::While) control.push_back(i);
    for (HloInstruction* i : control) {
      if (i->op() == HloOpcode::Conditional) {
        ASSIGN_OR_RETURN(const bool simpler, conditionals.Simplify(*i));
        own |= simpler;
      } else {
        own |= conditionals.KnowConstantsOf(*i);
        own |= conditionals.DropPassedOn(*i);
        own |= conditionals.DropUnread(*i);
      }
    }
    if (own) c.RemoveDead();
    changed |= own;
  }
  if (changed) module.RemoveUnreachable();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeConditionalsPass() {
  return MakePass("conditionals", [](HloModule& module) -> absl::StatusOr<bool> {
    // One that is no more shows another one what it passes on; each change leaves less to change.
    for (bool changed = false;; changed = true) {
      ASSIGN_OR_RETURN(const bool again, SimplifyIn(module));
      if (!again) return changed;
    }
  });
}

}  // namespace sinter
