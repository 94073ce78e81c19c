#include "sinter/lib/math.h"

#include <cmath>

#include "builder/lib/compose.h"
#include "builder/lib/of_floats.h"
#include "sinter/lib/constants.h"

namespace sinter {
Op IsPosInf(const Operand& operand) {
  return TestFloats(operand, "is-pos-inf", [](Op x) { return Eq(x, kInfinity); });
}
Op IsNegInf(const Operand& operand) {
  return TestFloats(operand, "is-neg-inf", [](Op x) { return Eq(x, -kInfinity); });
}
Op IsInf(const Operand& operand) {
  return TestFloats(operand, "is-inf", [](Op x) { return Eq(Abs(x), kInfinity); });
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

Op StochasticConvertType(const Operand& operand, const Operand& random,
                         ElementType new_element_type) {
  ComposedAt at(operand);
  ElementType wide{};
  int bits = 0;
  Op given = Record(
      {&operand, &random}, "stochastic-convert",
      [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
        ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
        ASSIGN_OR_RETURN(HloInstruction * n, r.Find(random.op()));
        HloInstruction* both[] = {x, n};
        const ElementType type = x->shape().element_type();
        bits = BitWidth(type);
        if (!IsFloat(type) || bits < 16)
          return r.Error("the operand must be a float of 16 to 64 bits", both);
        if (!IsUnsigned(n->shape().element_type()) || BitWidth(n->shape().element_type()) != bits ||
            !n->shape().SameDimensions(x->shape())) {
          return r.Error(
              "the random numbers must be unsigned integers of the "
              "operand's dimensions and width",
              both);
        }
        if (!IsSigned(new_element_type)) {
          return r.Error(
              Format("the new type must be one of signed integers, not {}", Name(new_element_type)),
              both);
        }
        wide = bits == 64 ? ElementType::F64 : ElementType::F32;
        return x;
      });
  if (!given.valid()) return given;
  const Op x = ConvertElementType(given, wide), size = Abs(x);
  const Op whole = ConvertElementType(size, new_element_type);
  const Op fraction = Sub(size, ConvertElementType(whole, wide));
  // As many bits of the fraction as the random numbers have: less than 2^bits, and exact.
  const Op threshold =
      ConvertElementType(Mul(fraction, std::ldexp(1.0, bits)), bits == 64   ? ElementType::U64
                                                               : bits == 32 ? ElementType::U32
                                                                            : ElementType::U16);
  const Op rounded = Select(Lt(random, threshold), Add(whole, 1), whole);
  Builder* b = given.builder();
  const Op most = MaxValue(b, new_element_type), least = MinValue(b, new_element_type);
  Op result = Select(Lt(x, 0), Neg(rounded), rounded);
  result = Select(Ge(x, ConvertElementType(most, wide)), most, result);
  result = Select(Le(x, ConvertElementType(least, wide)), least, result);
  return Select(Ne(x, x), Operand(0), result);
}

Op MaybeConjugate(const Operand& x, bool conjugate) {
  absl::StatusOr<Shape> shape = x.op().shape();
  bool is_complex = shape.ok() && IsComplex(shape->element_type());
  return conjugate && is_complex ? Conj(x) : x.op();
}

}  // namespace sinter
