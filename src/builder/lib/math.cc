#include "sinter/lib/math.h"

#include <limits>

#include "builder/lib/compose.h"
#include "builder/lib/of_floats.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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

Op IsNegZero(const Operand& operand) {
  return Compose("is-neg-zero", operand, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(operand.op()));
    if (!IsFloat(shape.element_type()))
      return InvalidArgument("{} is not of floats", shape.ToString());
    if (shape.element_type() == ElementType::F64)
      return Eq(BitcastConvertType(operand, ElementType::U64), uint64_t{1} << 63);
    Op x = ConvertElementType(operand, ElementType::F32);
    return Eq(BitcastConvertType(x, ElementType::U32), uint32_t{1} << 31);
  });
}

Op Square(const Operand& operand) { return Mul(operand, operand); }
Op Reciprocal(const Operand& operand) { return Div(Operand(1, operand.where()), operand); }

Op EvaluatePolynomial(const Operand& x, absl::Span<const float> coefficients) {
  ComposedAt at(x);
  Op sum = FullLike(x, coefficients.empty() ? 0.0f : coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i) sum = Add(Mul(sum, x), coefficients[i]);
  return sum;
}

Op MaybeConjugate(const Operand& x, bool conjugate) {
  absl::StatusOr<Shape> shape = x.op().shape();
  bool is_complex = shape.ok() && IsComplex(shape->element_type());
  return conjugate && is_complex ? Conj(x) : x.op();
}

}  // namespace sinter
