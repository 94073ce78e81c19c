// Integers that are made of positions (iotas) and constants, as counters of random numbers are, or
// clamped: what can be only one value is that constant, so is what comparisons come to, and what is
// computed in more bits than are used is computed in fewer. Wide integers would halve the lanes of
// the kernel that has them.
#include <cmath>
#include <optional>

#include "ir/analysis/interval.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

constexpr int kDepth = 8;  // of an expression that is looked into

// The values of a type, unbounded where they exceed S64.
Interval ValuesOf(ElementType type) {
  const int bits = BitWidth(type);
  if (IsUnsigned(type)) return bits > 62 ? Interval{} : Interval{0, int64_t{1} << bits};
  if (bits > 63) return {};
  return {-(int64_t{1} << (bits - 1)), int64_t{1} << (bits - 1)};
}

const HloInstruction* Behind(const HloInstruction* i) {
  while (i->op() == HloOpcode::Broadcast || i->op() == HloOpcode::Reshape) i = i->operand(0);
  return i;
}

std::optional<int64_t> ConstantOf(const HloInstruction* i) {
  i = Behind(i);
  if (i->op() != HloOpcode::Constant || !i->shape().is_scalar() ||
      !IsInteger(i->shape().element_type()))
    return std::nullopt;
  const double value = i->literal().GetAsDouble(0);
  if (std::abs(value) > 9e15) return std::nullopt;  // not exact
  return static_cast<int64_t>(value);
}

Interval RangeOf(const HloInstruction* i, int depth = kDepth);

// Of an operation whose result wraps: what it comes to without, if that never leaves the type.
Interval RangeWithoutWrap(const HloInstruction* i, int depth) {
  const Interval a = RangeOf(i->operand(0), depth);
  if (!a.bounded()) return {};
  const Interval b = RangeOf(i->operand(1), depth);
  if (!b.bounded()) return {};
  switch (i->op()) {
    case HloOpcode::Add:
      return a.Plus(b);
    case HloOpcode::Subtract:
      return a.Plus(b.Times(-1));
    case HloOpcode::Multiply: {
      if (a.lo < 0 || b.lo < 0) return {};
      int64_t most = 0;
      if (__builtin_mul_overflow(a.hi - 1, b.hi - 1, &most) || most == INT64_MAX) return {};
      return {a.lo * b.lo, most + 1};
    }
    default:
      return {};
  }
}

// Of the greater and of the less of two elements; sides that are not bounded stay so.
Interval Greater(const Interval& a, const Interval& b) {
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}
Interval Less(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}

// The values that elements of an array of integers can have.
Interval RangeOf(const HloInstruction* i, int depth) {
  const Interval all = ValuesOf(i->shape().element_type());
  if (depth == 0 || !IsInteger(i->shape().element_type())) return all;
  auto within = [&](const Interval& range) {
    const bool fits = range.bounded() && (range.IsIn(all) || (!all.bounded() && range.lo >= 0));
    return fits ? range : all;
  };
  const int below = depth - 1;
  switch (i->op()) {
    case HloOpcode::Constant: {
      const auto value = ConstantOf(i);
      return value ? within(Interval::Of(*value)) : all;
    }
    case HloOpcode::Iota:
      return within({0, i->shape().dimension(i->attrs<IotaAttrs>().iota_dimension)});
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
      return RangeOf(i->operand(0), below);
    case HloOpcode::Convert:
      return IsInteger(i->operand(0)->shape().element_type())
                 ? within(RangeOf(i->operand(0), below))
                 : all;
    case HloOpcode::Add:
    case HloOpcode::Subtract:
    case HloOpcode::Multiply:
      return within(RangeWithoutWrap(i, below));
    case HloOpcode::And: {
      const Interval a = RangeOf(i->operand(0), below), b = RangeOf(i->operand(1), below);
      Interval least = all;  // no more than either that is not negative
      for (const Interval& x : {a, b})
        if (x.bounded() && x.lo >= 0 && x.hi < least.hi) least = {0, x.hi};
      return least;
    }
    case HloOpcode::ShiftRightLogical:
    case HloOpcode::ShiftRightArithmetic: {
      const Interval a = RangeOf(i->operand(0), below);
      const auto by = ConstantOf(i->operand(1));
      const ElementType type = i->shape().element_type();
      if (!a.bounded() || a.lo < 0 || !by || *by < 0) return all;
      if (*by >= std::min(63, BitWidth(type))) return all;
      // The upper bit of an unsigned one is taken for a sign.
      if (i->op() == HloOpcode::ShiftRightArithmetic && !IsSigned(type) && BitWidth(type) < 64 &&
          a.hi - 1 >= int64_t{1} << (BitWidth(type) - 1))
        return all;
      return {a.lo >> *by, ((a.hi - 1) >> *by) + 1};
    }
    case HloOpcode::Divide: {
      const Interval a = RangeOf(i->operand(0), below);
      const auto by = ConstantOf(i->operand(1));
      if (!a.bounded() || a.lo < 0 || !by || *by < 1) return all;
      return {a.lo / *by, (a.hi - 1) / *by + 1};
    }
    case HloOpcode::Remainder: {
      const Interval a = RangeOf(i->operand(0), below);
      const auto by = ConstantOf(i->operand(1));
      if (!a.bounded() || a.lo < 0 || !by || *by < 1) return all;
      return {0, std::min(a.hi, *by)};
    }
    case HloOpcode::Maximum:
      return Greater(RangeOf(i->operand(0), below), RangeOf(i->operand(1), below));
    case HloOpcode::Minimum:
      return Less(RangeOf(i->operand(0), below), RangeOf(i->operand(1), below));
    case HloOpcode::Clamp:
      return Less(Greater(RangeOf(i->operand(1), below), RangeOf(i->operand(0), below)),
                  RangeOf(i->operand(2), below));
    default:
      return all;
  }
}

// Of its low bits, an operation's low bits are made.
bool IsModular(HloOpcode op) {
  return op == HloOpcode::Add || op == HloOpcode::Subtract || op == HloOpcode::Multiply ||
         op == HloOpcode::And || op == HloOpcode::Or || op == HloOpcode::Xor;
}

// Whether positions and constants are all that it is made of, by operations that IsModular.
bool IsOfPositions(const HloInstruction* i, int depth = kDepth) {
  if (i->op() == HloOpcode::Iota)
    return i->shape().dimension(i->attrs<IotaAttrs>().iota_dimension) <= INT32_MAX;
  if (ConstantOf(i)) return true;
  if (depth == 0) return false;
  if (i->op() == HloOpcode::Broadcast || i->op() == HloOpcode::Reshape)
    return IsOfPositions(i->operand(0), depth - 1);
  return IsModular(i->op()) && IsOfPositions(i->operand(0), depth - 1) &&
         IsOfPositions(i->operand(1), depth - 1);
}

// Its low bits, computed in a type of so many.
HloInstruction* InType(HloComputation& c, HloInstruction* i, ElementType type) {
  if (i->op() == HloOpcode::Iota || i->op() == HloOpcode::Broadcast ||
      i->op() == HloOpcode::Reshape || IsModular(i->op())) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i->operands()) operands.push_back(InType(c, o, type));
    return c.AddWithShape(i->op(), Shape(type, i->shape().dimensions()), operands, i->attributes());
  }
  return AddConvert(c, i, type);  // of a constant
}

// What a comparison of integers comes to, if their ranges tell: indices that were clamped are not
// negative.
std::optional<bool> KnownComparison(const HloInstruction* i) {
  const auto& a = i->attrs<CompareAttrs>();
  const ElementType type = i->operand(0)->shape().element_type();
  if (!IsInteger(type)) return std::nullopt;
  if (a.type != ComparisonType::kDefault &&
      a.type != (IsSigned(type) ? ComparisonType::kSigned : ComparisonType::kUnsigned))
    return std::nullopt;
  const Interval x = RangeOf(i->operand(0)), y = RangeOf(i->operand(1));
  if (!x.bounded() || !y.bounded()) return std::nullopt;
  const bool below = x.hi <= y.lo, above = x.lo >= y.hi;  // all of x, of all of y
  const bool at_most = x.hi - 1 <= y.lo, at_least = x.lo >= y.hi - 1;
  using enum ComparisonDirection;
  switch (a.direction) {
    case kLt:
      if (below || at_least) return below;
      break;
    case kGe:
      if (below || at_least) return !below;
      break;
    case kGt:
      if (above || at_most) return above;
      break;
    case kLe:
      if (above || at_most) return !above;
      break;
    case kEq:
    case kNe:
      if (below || above) return a.direction == kNe;
      break;
  }
  return std::nullopt;
}

// Whether all values are positions of 32 bits: no processor divides vectors of wider integers.
bool IsNarrow(const HloInstruction* i) {
  const Interval range = RangeOf(i);
  return range.bounded() && range.lo >= 0 && range.hi <= int64_t{1} << 31;
}

// The value in 32 bits, if it IsNarrow.
HloInstruction* Narrowed(HloComputation& c, HloInstruction* i) {
  if (i->op() == HloOpcode::Convert && i->operand(0)->shape().element_type() == ElementType::S32)
    return i->operand(0);
  if (IsOfPositions(i)) return InType(c, i, ElementType::S32);
  return AddConvert(c, i, ElementType::S32);
}

// A quotient by a constant or its remainder, of 64 bits that hold positions.
HloInstruction* NarrowDivision(HloComputation& c, HloInstruction* i) {
  const auto by = ConstantOf(i->operand(1));
  if (!by || *by < 1 || *by >= int64_t{1} << 31 || !IsNarrow(i->operand(0))) return nullptr;
  HloInstruction* narrow =
      c.AddWithShape(i->op(), Shape(ElementType::S32, i->shape().dimensions()),
                     {Narrowed(c, i->operand(0)), Narrowed(c, i->operand(1))}, i->attributes());
  return AddConvert(c, narrow, i->shape().element_type());
}

// What was 32 bits, compared with a constant that is no more.
HloInstruction* NarrowComparison(HloComputation& c, HloInstruction* i) {
  const auto was_narrow = [](const HloInstruction* x) {
    return x->op() == HloOpcode::Convert &&
           x->operand(0)->shape().element_type() == ElementType::S32;
  };
  HloInstruction *a = i->operand(0), *b = i->operand(1);
  if (BitWidth(a->shape().element_type()) != 64 || !IsInteger(a->shape().element_type()) ||
      !((was_narrow(a) && ConstantOf(b)) || (was_narrow(b) && ConstantOf(a))) || !IsNarrow(a) ||
      !IsNarrow(b))
    return nullptr;
  CompareAttrs attrs = i->attrs<CompareAttrs>();
  attrs.type = ComparisonType::kDefault;
  return c.AddWithShape(HloOpcode::Compare, i->shape(), {Narrowed(c, a), Narrowed(c, b)}, attrs);
}

// Positions of another type than the one in which they are counted: of wide integers a vector holds
// few. Those that the wide type holds, and the other one wraps or holds.
HloInstruction* ConvertedIota(HloComputation& c, HloInstruction* i) {
  if (i->op() != HloOpcode::Convert || i->operand(0)->op() != HloOpcode::Iota) return nullptr;
  HloInstruction* from = i->operand(0);
  const ElementType wide = from->shape().element_type(), type = i->shape().element_type();
  const int64_t n = from->shape().dimension(from->attrs<IotaAttrs>().iota_dimension);
  const Interval range = RangeOf(from);
  if (!IsInteger(wide) || n == 1 || !range.bounded() || range.hi != n) return nullptr;
  // A narrower float is rounded once from one that holds them.
  if (IsFloat(type) && BitWidth(type) < 32 && n <= 1 << 24)
    return AddConvert(c, InType(c, from, ElementType::F32), type);
  const bool holds = IsInteger(type) ? BitWidth(type) >= 8 && BitWidth(type) < BitWidth(wide)
                                     : (type == ElementType::F32 && n <= 1 << 24) ||
                                           (type == ElementType::F64 && n <= int64_t{1} << 53);
  return holds ? InType(c, from, type) : nullptr;
}

HloInstruction* SimplifyIntegers(HloComputation& c, HloInstruction* i) {
  if (i->op() == HloOpcode::Compare) {
    const std::optional<bool> known = KnownComparison(i);
    return known ? AddSplat(c, i->shape(), Literal::R0(*known)) : NarrowComparison(c, i);
  }
  if (HloInstruction* iota = ConvertedIota(c, i)) return iota;
  const ElementType type = i->shape().is_array() ? i->shape().element_type() : ElementType::F32;
  if (!IsInteger(type) || !IsElementwise(i->op())) return nullptr;
  const Interval range = RangeOf(i);
  if (range.bounded() && range.size() == 1) {
    absl::StatusOr<Literal> value = Literal::R0(range.lo).Convert(type);
    if (!value.ok()) return nullptr;
    return AddSplat(c, i->shape(), *std::move(value));
  }
  if ((i->op() == HloOpcode::Divide || i->op() == HloOpcode::Remainder) && BitWidth(type) == 64)
    return NarrowDivision(c, i);
  if (i->op() != HloOpcode::Convert) return nullptr;
  HloInstruction* from = i->operand(0);
  const ElementType wide = from->shape().element_type();
  if (!IsInteger(wide) || BitWidth(wide) <= BitWidth(type) || BitWidth(type) < 32 ||
      !IsOfPositions(from) || ConstantOf(from))
    return nullptr;
  return InType(c, from, type);
}

}  // namespace

std::unique_ptr<Pass> MakeIntegerRangesPass() {
  return MakeRulesPass("integer-ranges", SimplifyIntegers);
}

}  // namespace sinter
