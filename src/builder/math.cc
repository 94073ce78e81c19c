#include "sinter/lib/math.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "builder/impl.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

// Computes f for floats, for those narrower than f32 in f32.
template <class F>
Op OfFloats(const Operand& operand, std::string_view name, F f) {
  Builder* builder = operand.builder();
  if (builder == nullptr) return Op();
  ComposedAt at(operand);
  ElementType type = ElementType::F32;
  Op x = Record({&operand}, name, [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(operand.op()));
    type = i->shape().element_type();
    if (!IsFloat(type)) return r.Error("the operand must be of a float type", {&i, 1});
    return i;
  });
  if (!x.valid()) return x;
  if (BitWidth(type) >= 32) return f(x);
  return ConvertElementType(f(ConvertElementType(x, ElementType::F32)), type);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2 = std::numbers::ln2;

// Above it, x * x + 1 is x * x, and x * x may overflow.
Op IsLarge(Op magnitude) {
  absl::StatusOr<Shape> shape = magnitude.shape();
  bool is_double = shape.ok() && shape->element_type() == ElementType::F64;
  return Ge(magnitude, is_double ? 0x1p500 : 0x1p60);
}

}  // namespace

Op IsPosInf(const Operand& operand) {
  return OfFloats(operand, "is-pos-inf", [](Op x) { return Eq(x, kInfinity); });
}
Op IsNegInf(const Operand& operand) {
  return OfFloats(operand, "is-neg-inf", [](Op x) { return Eq(x, -kInfinity); });
}
Op IsInf(const Operand& operand) {
  return OfFloats(operand, "is-inf", [](Op x) { return Eq(Abs(x), kInfinity); });
}
Op IsNan(const Operand& operand) {
  ComposedAt at(operand);
  return Ne(operand, operand);
}

Op Square(const Operand& operand) { return Mul(operand, operand); }
Op Reciprocal(const Operand& operand) { return Div(Operand(1, operand.where()), operand); }

Op EvaluatePolynomial(const Operand& x, absl::Span<const float> coefficients) {
  ComposedAt at(x);
  Op sum = FullLike(x, coefficients.empty() ? 0.0f : coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i) sum = Add(Mul(sum, x), coefficients[i]);
  return sum;
}

Op Acos(const Operand& operand) {
  // 2 atan(sqrt(1 - x^2) / (1 + x)), of which -1 is the limit.
  return OfFloats(operand, "acos", [](Op x) {
    Op angle = 2 * Atan2(Sqrt((1 - x) * (1 + x)), 1 + x);
    return Select(Eq(x, -1), FullLike(x, std::numbers::pi), angle);
  });
}

Op Acosh(const Operand& operand) {
  return OfFloats(operand, "acosh", [](Op x) {
    // log(x + sqrt(x^2 - 1)), near 1 without cancellation.
    Op y = x - 1;
    return Select(IsLarge(x), Log(x) + kLog2, Log1p(y + Sqrt(y * (x + 1))));
  });
}

Op Asin(const Operand& operand) {
  return OfFloats(operand, "asin", [](Op x) { return 2 * Atan2(x, 1 + Sqrt((1 - x) * (1 + x))); });
}

Op Asinh(const Operand& operand) {
  return OfFloats(operand, "asinh", [](Op x) {
    // log(a + sqrt(a^2 + 1)) for a = |x|, near 0 without cancellation.
    Op a = Abs(x);
    Op square = a * a;
    Op small = Log1p(a + square / (1 + Sqrt(square + 1)));
    return Sign(x) * Select(IsLarge(a), Log(a) + kLog2, small);
  });
}

Op Atan(const Operand& operand) {
  return OfFloats(operand, "atan", [](Op x) { return Atan2(x, 1); });
}

Op Atanh(const Operand& operand) {
  return OfFloats(operand, "atanh", [](Op x) { return (Log1p(x) - Log1p(-x)) * 0.5; });
}

Op Cosh(const Operand& operand) {
  // The half is taken inside, where the result may be the largest number.
  return OfFloats(operand, "cosh", [](Op x) { return Exp(x - kLog2) + Exp(-x - kLog2); });
}

Op Sinh(const Operand& operand) {
  return OfFloats(operand, "sinh", [](Op x) {
    // Near 0 from e^x - 1, without cancellation.
    Op e = Expm1(x);
    Op small = (e + e / (e + 1)) * 0.5;
    return Select(Lt(Abs(x), 1), small, Exp(x - kLog2) - Exp(-x - kLog2));
  });
}

Op MaybeConjugate(const Operand& x, bool conjugate) {
  absl::StatusOr<Shape> shape = x.op().shape();
  bool is_complex = shape.ok() && IsComplex(shape->element_type());
  return conjugate && is_complex ? Conj(x) : x.op();
}

}  // namespace sinter
