// Shape rules of elementwise ops: the result has the operands' dimensions.

#include "ir/ops/rule.h"

namespace sinter::infer {

absl::StatusOr<Shape> SameAsOperand(const InferInput& in) {
  if (auto* a = std::get_if<ReducePrecisionAttrs>(&in.attrs)) {
    REQUIRE(a->exponent_bits >= 1, "(C2) exponent_bits must be positive, got {}", a->exponent_bits);
    REQUIRE(a->mantissa_bits >= 0, "(C3) mantissa_bits must not be negative, got {}",
            a->mantissa_bits);
  }
  return in.operand(0);
}

absl::StatusOr<Shape> SameOperands(const InferInput& in) {
  REQUIRE(SameType(in.operand(0), in.operand(1)),
          "(C1) the operands must have the same shape and element type");
  return in.operand(0);
}

absl::StatusOr<Shape> Abs(const InferInput& in) {
  return WithElementType(in.operand(0), sinter::RealPart(in.operand(0).element_type()));
}

absl::StatusOr<Shape> RealPart(const InferInput& in) {
  return WithElementType(in.operand(0), sinter::RealPart(in.operand(0).element_type()));
}

absl::StatusOr<Shape> Convert(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  REQUIRE(in.declared->is_array(), "the result must be an array");
  REQUIRE(in.declared->SameDimensions(in.operand(0)),
          "(C1) the result must have the operand's dimensions");
  return WithElementType(in.operand(0), in.declared->element_type());
}

absl::StatusOr<Shape> ToPredicate(const InferInput& in) {
  return WithElementType(in.operand(0), ElementType::PRED);
}

absl::StatusOr<Shape> Compare(const InferInput& in) {
  const auto& a = in.as<CompareAttrs>();
  ElementType t = in.operand(0).element_type();
  REQUIRE(t == in.operand(1).element_type(), "(C1) the operands must have the same element type");
  REQUIRE(in.operand(0).SameDimensions(in.operand(1)),
          "(C2) the operands must have the same dimensions");
  bool fits = false;
  switch (a.type) {
    case ComparisonType::kDefault:
      fits = true;
      break;
    case ComparisonType::kFloat:
      fits = IsFloat(t) || IsComplex(t);
      break;
    case ComparisonType::kTotalOrder:
      fits = IsFloat(t);
      break;
    case ComparisonType::kSigned:
      fits = IsSigned(t);
      break;
    case ComparisonType::kUnsigned:
      fits = IsUnsigned(t) || IsPredicate(t);
      break;
  }
  REQUIRE(fits, "(C3) the comparison type {} is not for element type {}", Name(a.type), Name(t));
  bool is_equality =
      a.direction == ComparisonDirection::kEq || a.direction == ComparisonDirection::kNe;
  REQUIRE(is_equality || !IsComplex(t), "complex numbers compare by EQ and NE only, got {}",
          Name(a.direction));
  return WithElementType(in.operand(0), ElementType::PRED);
}

absl::StatusOr<Shape> Complex(const InferInput& in) {
  REQUIRE(SameType(in.operand(0), in.operand(1)),
          "(C1) the operands must have the same shape and element type");
  ElementType t = in.operand(0).element_type();
  REQUIRE(t == ElementType::F32 || t == ElementType::F64, "the operands must be f32 or f64");
  return WithElementType(in.operand(0),
                         t == ElementType::F32 ? ElementType::C64 : ElementType::C128);
}

absl::StatusOr<Shape> Clamp(const InferInput& in) {
  const Shape &min = in.operand(0), &x = in.operand(1), &max = in.operand(2);
  REQUIRE(min.is_scalar() || min.SameDimensions(x),
          "(C1) min must be a scalar or have the operand's dimensions");
  REQUIRE(max.is_scalar() || max.SameDimensions(x),
          "(C2) max must be a scalar or have the operand's dimensions");
  REQUIRE(min.element_type() == x.element_type() && max.element_type() == x.element_type(),
          "(C3) min, operand and max must have the same element type");
  return x;
}

absl::StatusOr<Shape> Select(const InferInput& in) {
  const Shape &pred = in.operand(0), &on_true = in.operand(1), &on_false = in.operand(2);
  REQUIRE(IsPredicate(pred.element_type()), "operand 0 must be a predicate");
  REQUIRE(pred.is_scalar() || pred.SameDimensions(on_true),
          "(C1) the predicate must be a scalar or have the dimensions of the values");
  REQUIRE(on_true.is_array() && SameType(on_true, on_false),
          "(C2) the values must have the same shape and element type");
  return on_true;
}

}  // namespace sinter::infer
