#include "passes/simplify/predicates.h"

#include <optional>

#include "ir/ops/comparison.h"
#include "passes/simplify/known_value.h"
#include "passes/simplify/rules.h"

namespace sinter {
namespace {

HloInstruction* Not(HloComputation& c, HloInstruction* x) {
  return c.AddWithShape(HloOpcode::Not, x->shape(), {x});
}

// The predicate that an array of zeros and ones was converted from, or is; else null.
HloInstruction* PredicateOf(HloInstruction* i) {
  const ElementType type = i->shape().element_type();
  if (IsPredicate(type)) return i;
  // Some small floats have no zero.
  const bool has_both = IsInteger(type) || (IsFloat(type) && BitWidth(type) >= 16);
  if (i->op() != HloOpcode::Convert || !has_both || BitWidth(type) < 8) return nullptr;
  return IsPredicate(i->operand(0)->shape().element_type()) ? i->operand(0) : nullptr;
}

bool HasNaN(ElementType type) { return IsFloat(type) || IsComplex(type); }

// Of a value with itself, if it is no NaN. With a value that is known: the predicate, its negation,
// or what both cases have in common.
HloInstruction* Compare(HloComputation& c, HloInstruction* i) {
  const auto& a = i->attrs<CompareAttrs>();
  if (IsFloat(i->operand(0)->shape().element_type()) && a.type == ComparisonType::kTotalOrder)
    return nullptr;  // tells the zeros apart
  if (i->operand(0) == i->operand(1) && !HasNaN(i->operand(0)->shape().element_type()))
    return AddSplat(c, i->shape(), Literal::R0(Holds(a.direction, 0, 0)));
  for (const size_t side : {0, 1}) {
    HloInstruction* p = PredicateOf(i->operand(side));
    const std::optional<double> with = SplatOf(i->operand(1 - side));
    if (p == nullptr || !with) continue;
    auto holds = [&](double x) {
      return side == 0 ? Holds(a.direction, x, *with) : Holds(a.direction, *with, x);
    };
    if (holds(0) == holds(1)) return AddSplat(c, i->shape(), Literal::R0(holds(0)));
    return holds(1) ? p : Not(c, p);
  }
  return nullptr;
}

std::optional<ComparisonDirection> Opposite(const HloInstruction& compare) {
  using enum ComparisonDirection;
  const bool is_ordered = !IsFloat(compare.operand(0)->shape().element_type());
  switch (compare.attrs<CompareAttrs>().direction) {
    case kEq:
      return kNe;
    case kNe:
      return kEq;
    case kLt:
      if (is_ordered) return kGe;
      break;
    case kLe:
      if (is_ordered) return kGt;
      break;
    case kGt:
      if (is_ordered) return kLe;
      break;
    case kGe:
      if (is_ordered) return kLt;
      break;
  }
  return std::nullopt;  // of NaN both are false
}

// Of a comparison that nothing else needs: the opposite one.
HloInstruction* Negated(HloComputation& c, const HloInstruction* i) {
  const HloInstruction* x = i->operand(0);
  if (x->op() != HloOpcode::Compare || x->users().size() > 1) return nullptr;
  const std::optional<ComparisonDirection> direction = Opposite(*x);
  if (!direction) return nullptr;
  CompareAttrs attrs = x->attrs<CompareAttrs>();
  attrs.direction = *direction;
  return c.AddWithShape(HloOpcode::Compare, i->shape(), x->operands(), attrs);
}

HloInstruction* Select(HloComputation& c, HloInstruction* i) {
  HloInstruction* p = i->operand(0);
  if (p->op() == HloOpcode::Not) {
    return c.AddWithShape(HloOpcode::Select, i->shape(),
                          {p->operand(0), i->operand(2), i->operand(1)});
  }
  if (!IsPredicate(i->shape().element_type()) || p->shape() != i->shape()) return nullptr;
  const std::optional<double> yes = SplatOf(i->operand(1)), no = SplatOf(i->operand(2));
  if (!yes || !no || *yes == *no) return nullptr;
  return *yes != 0 ? p : Not(c, p);
}

}  // namespace

HloInstruction* SimplifyPredicates(HloComputation& c, HloInstruction* i) {
  const bool is_predicate = IsPredicate(i->shape().element_type());
  switch (i->op()) {
    case HloOpcode::Compare:
      return Compare(c, i);
    case HloOpcode::Select:
      return Select(c, i);
    case HloOpcode::Not:
      return is_predicate ? Negated(c, i) : nullptr;
    case HloOpcode::And:  // p & true = p
      if (is_predicate && IsSplat(i->operand(1), 1)) return i->operand(0);
      return is_predicate && IsSplat(i->operand(0), 1) ? i->operand(1) : nullptr;
    case HloOpcode::Or:  // p | true = true
      if (is_predicate && IsSplat(i->operand(1), 1)) return i->operand(1);
      return is_predicate && IsSplat(i->operand(0), 1) ? i->operand(0) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace sinter
