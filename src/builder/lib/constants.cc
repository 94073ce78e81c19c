#include "sinter/lib/constants.h"

#include <cmath>
#include <limits>

#include "builder/impl.h"
#include "sinter/ops.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

// The values of a float type that its format decides.
struct FloatValues {
  double max, min_normal, epsilon;
  bool has_infinity, has_nan;
};

FloatValues ValuesOf(ElementType t) {
  using D = std::numeric_limits<double>;
  if (t == ElementType::F64) return {D::max(), D::min(), D::epsilon(), true, true};
  FloatFormat f = *FormatOf(t);
  using S = FloatFormat::Special;
  int top = (1 << f.exponent_bits) - 1 - f.bias;  // the exponent of all ones
  double ulp = std::ldexp(1.0, -f.mantissa_bits);
  double max = 0;
  switch (f.special) {
    case S::kIeee:
      max = std::ldexp(2 - ulp, top - 1);
      break;
    case S::kAllOnes:
      // Without a mantissa the whole exponent is the NaN.
      max = f.mantissa_bits ? std::ldexp(2 - 2 * ulp, top) : std::ldexp(1.0, top - 1);
      break;
    case S::kNegativeZero:
    case S::kNone:
      max = std::ldexp(2 - ulp, top);
      break;
  }
  double min_normal = std::ldexp(1.0, (f.has_zero ? 1 : 0) - f.bias);
  return {max, min_normal, ulp, f.special == S::kIeee, f.special != S::kNone};
}

// The least or greatest value; floats: infinite if `infinite` and there is one.
absl::StatusOr<Literal> Extreme(ElementType type, bool greatest, bool infinite) {
  switch (Kind(type)) {
    case ElementKind::kPredicate:
      return LiteralOf(greatest, type);
    case ElementKind::kSigned: {
      int64_t max = std::numeric_limits<int64_t>::max() >> (64 - BitWidth(type));
      return LiteralOf(greatest ? max : -max - 1, type);
    }
    case ElementKind::kUnsigned:
      return LiteralOf(greatest ? ~uint64_t{0} >> (64 - BitWidth(type)) : uint64_t{0}, type);
    case ElementKind::kFloat: {
      FloatValues v = ValuesOf(type);
      double magnitude =
          infinite && v.has_infinity ? std::numeric_limits<double>::infinity() : v.max;
      if (greatest) return LiteralOf(magnitude, type);
      // The one type without a sign begins above zero.
      bool has_sign = type == ElementType::F64 || FormatOf(type)->has_sign;
      return LiteralOf(has_sign ? -magnitude : v.min_normal, type);
    }
    default:
      return InvalidArgument("{} has no least and greatest value", Name(type));
  }
}

Op RecordLiteral(Builder* builder, std::string_view name, const absl::StatusOr<Literal>& value,
                 SourceLocation where) {
  return Record(builder, name, where, [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    if (!value.ok()) return r.Error(MessageOf(value.status()));
    return r.AddConstant(*value);
  });
}

absl::StatusOr<Literal> OfFloat(ElementType type, double FloatValues::*value) {
  if (!IsFloat(type)) return InvalidArgument("{} is no float", Name(type));
  return LiteralOf(ValuesOf(type).*value, type);
}

}  // namespace

Op ConstantR0WithType(Builder* builder, ElementType type, const Number& value) {
  return RecordLiteral(builder, "constant", LiteralOf(value, type), value.where());
}

Op ScalarLike(const Operand& prototype, const Number& value) {
  return Record({&prototype}, "constant", [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * p, r.Find(prototype.op()));
    return r.AddNumber(value, p->shape().element_type());
  });
}

Op FullLike(const Operand& prototype, const Number& value) {
  return Record({&prototype}, "constant", [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * p, r.Find(prototype.op()));
    if (!p->shape().is_array()) return r.Error("the prototype must be an array", {&p, 1});
    ASSIGN_OR_RETURN(HloInstruction * scalar, r.AddNumber(value, p->shape().element_type()));
    return r.BroadcastTo(scalar, p->shape().dimensions(), {});
  });
}

Op Zero(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", LiteralOf(0, type), where);
}
Op One(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", LiteralOf(1, type), where);
}
Op Zeros(Builder* builder, const Shape& shape, SourceLocation where) {
  return Record(builder, "constant", where, [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    if (absl::Status s = CheckShape(shape); !s.ok()) return r.Error(MessageOf(s));
    ASSIGN_OR_RETURN(HloInstruction * zero, r.AddNumber(0, shape.element_type()));
    return r.BroadcastTo(zero, shape.dimensions(), {});
  });
}
Op ZerosLike(const Operand& prototype) { return FullLike(prototype, 0); }
Op OnesLike(const Operand& prototype) { return FullLike(prototype, 1); }

Op MinValue(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", Extreme(type, false, true), where);
}
Op MinFiniteValue(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", Extreme(type, false, false), where);
}
Op MaxValue(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", Extreme(type, true, true), where);
}
Op MaxFiniteValue(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", Extreme(type, true, false), where);
}
Op Epsilon(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", OfFloat(type, &FloatValues::epsilon), where);
}
Op MinPositiveNormalValue(Builder* builder, ElementType type, SourceLocation where) {
  return RecordLiteral(builder, "constant", OfFloat(type, &FloatValues::min_normal), where);
}
Op NanValue(Builder* builder, ElementType type, SourceLocation where) {
  absl::StatusOr<Literal> nan = InvalidArgument("{} has no NaN", Name(type));
  if (IsFloat(type) && ValuesOf(type).has_nan) nan = LiteralOf(std::nan(""), type);
  return RecordLiteral(builder, "constant", nan, where);
}

}  // namespace sinter
