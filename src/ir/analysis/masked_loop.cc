#include "ir/analysis/masked_loop.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/scalar_computation.h"

namespace sinter {
namespace {

// Operations of a predicate that are compared: guess.
constexpr size_t kMostCompared = 64;

// A predicate without the nots before it.
struct Predicate {
  const HloInstruction* value = nullptr;
  bool is_negated = false;

  explicit Predicate(const HloInstruction* p) : value(p) {
    while (value->op() == HloOpcode::Not) {
      value = value->operand(0);
      is_negated = !is_negated;
    }
  }
};

// The element of the state that a value of the body or of the condition is, or -1.
int64_t CarryOf(const HloInstruction* i) {
  if (i->op() != HloOpcode::GetTupleElement || i->operand(0)->op() != HloOpcode::Parameter)
    return -1;
  return i->attrs<TupleElementAttrs>().index;
}

// Whether two values, of two computations over the same state, are computed alike.
bool AreAlike(const HloInstruction* a, const HloInstruction* b) {
  absl::flat_hash_set<std::pair<const HloInstruction*, const HloInstruction*>> seen;
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> open{{a, b}};
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    if (!seen.insert({x, y}).second) continue;
    if (seen.size() > kMostCompared || x->op() != y->op() || x->shape() != y->shape() ||
        x->attributes() != y->attributes() || x->operands().size() != y->operands().size() ||
        !x->called().empty())
      return false;
    for (size_t k = 0; k < x->operands().size(); ++k)
      open.push_back({x->operand(k), y->operand(k)});
  }
  return true;
}

// The only reduction of a condition that is true only where that is, or null.
const HloInstruction* ReductionOf(const HloComputation& condition) {
  const HloInstruction* found = nullptr;
  for (const HloInstruction* i : condition.PostOrder()) {
    if (i->op() != HloOpcode::Reduce) continue;
    if (found != nullptr) return nullptr;
    found = i;
  }
  if (found == nullptr || found->shape().is_tuple() || !found->shape().is_scalar() ||
      !IsPredicate(found->shape().element_type()) || found->operands().size() != 2)
    return nullptr;
  const HloInstruction *combiner = CombinerOf(*found->called(0), 1, 0), *init = found->operand(1);
  if (combiner == nullptr || init->op() != HloOpcode::Constant) return nullptr;
  const bool is_any = combiner->op() == HloOpcode::Or;
  if ((!is_any && combiner->op() != HloOpcode::And) ||
      (init->literal().data<bool>()[0] != 0) == is_any)
    return nullptr;
  bool is_negated = false;
  const HloInstruction* at = found;
  while (at != condition.root()) {
    if (at->users().size() != 1) return nullptr;
    at = at->users()[0];
    if (at->op() == HloOpcode::Not && !is_negated) {
      is_negated = true;
    } else if (at->op() != HloOpcode::And) {
      return nullptr;
    }
    // Nothing may come between all of them and the not.
    if (is_negated == is_any) return nullptr;
  }
  return is_negated == !is_any ? found : nullptr;
}

class MaskedLoop {
 public:
  MaskedLoop(const HloInstruction& loop, const HloInstruction& reduction)
      : body_(*loop.called(1)), goes_on_(reduction.operand(0)) {
    // By `and`: of those that are done.
    if (CombinerOf(*reduction.called(0), 1, 0)->op() == HloOpcode::And)
      goes_on_.is_negated = !goes_on_.is_negated;
  }

  bool Holds() const {
    if (body_.root()->op() != HloOpcode::Tuple) return false;
    for (size_t k = 0; k < body_.root()->operands().size(); ++k)
      if (body_.root()->operand(k)->shape().rank() > 0 && !Stays(k)) return false;
    return DependsOnWhatStays();
  }

 private:
  bool IsOld(const HloInstruction* i, size_t k) const {
    return CarryOf(i) == static_cast<int64_t>(k);
  }
  // Whether a predicate of the body is that of the condition; and then whether it is its opposite.
  bool IsThat(const Predicate& p, bool& is_opposite) const {
    is_opposite = p.is_negated != goes_on_.is_negated;
    return AreAlike(p.value, goes_on_.value);
  }
  // Whether an element of the state keeps its value where the predicate does not hold.
  bool Stays(size_t k) const {
    const HloInstruction* next = body_.root()->operand(k);
    if (IsOld(next, k)) return true;
    bool is_opposite = false;
    if (next->op() == HloOpcode::Select && IsThat(Predicate(next->operand(0)), is_opposite))
      return IsOld(next->operand(is_opposite ? 1 : 2), k);
    // The predicate itself: once it does not hold it never does.
    if (CarryOf(goes_on_.value) != static_cast<int64_t>(k)) return false;
    return next->op() == (goes_on_.is_negated ? HloOpcode::Or : HloOpcode::And) &&
           absl::c_any_of(next->operands(), [&](const HloInstruction* o) { return IsOld(o, k); });
  }
  // Scalars of the state change whatever elements do.
  bool DependsOnWhatStays() const {
    std::vector<const HloInstruction*> open{goes_on_.value};
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!open.empty()) {
      const HloInstruction* i = open.back();
      open.pop_back();
      if (!seen.insert(i).second) continue;
      if (const int64_t k = CarryOf(i); k >= 0) {
        if (!Stays(static_cast<size_t>(k))) return false;
        continue;
      }
      open.insert(open.end(), i->operands().begin(), i->operands().end());
    }
    return true;
  }

  const HloComputation& body_;
  Predicate goes_on_;
};

}  // namespace

const HloInstruction* AnyGoesOn(const HloInstruction& loop) {
  if (loop.op() != HloOpcode::While || !loop.shape().is_tuple()) return nullptr;
  const HloInstruction* reduction = ReductionOf(*loop.called(0));
  return reduction != nullptr && MaskedLoop(loop, *reduction).Holds() ? reduction : nullptr;
}

}  // namespace sinter
