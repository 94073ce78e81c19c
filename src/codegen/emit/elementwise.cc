#include "codegen/emit/elementwise.h"

#include <limits>

#include "base/status.h"
#include "codegen/emit/complex.h"
#include "codegen/emit/math/math.h"

namespace sinter::emit {
namespace {

using kernel::Builder;
using kernel::Expr;
using kernel::OpCode;
using kernel::Predicate;
using E = ElementType;

// One application of an op: operands as real tiles of the type computed in, which is `type`.
struct RealUse {
  Builder& b;
  const HloInstruction& i;
  absl::Span<const Expr> x;
  ElementType type;  // computed in
  // Of the result, before it is narrowed. What the function returns has type `type` or `out`.
  ElementType out;
  Expr operator[](size_t k) const { return x[k]; }
};
using ComputedFn = Expr (*)(const RealUse&);

int Bits(E t) { return BitWidth(t); }
E SignedOf(E t) {
  return Bits(t) == 8 ? E::S8 : Bits(t) == 16 ? E::S16 : Bits(t) == 32 ? E::S32 : E::S64;
}
E UnsignedOf(E t) {
  return Bits(t) == 8 ? E::U8 : Bits(t) == 16 ? E::U16 : Bits(t) == 32 ? E::U32 : E::U64;
}

template <OpCode code>
Expr Unary(const RealUse& u) {
  return {&u.b, u.b.Unary(code, u[0])};
}
template <OpCode code>
Expr Binary(const RealUse& u) {
  return {&u.b, u.b.Binary(code, u[0], u[1])};
}
template <Expr (*f)(Expr)>
Expr RealMath(const RealUse& u) {
  return f(u[0]);
}
template <Expr (*f)(Expr, Expr)>
Expr RealMath2(const RealUse& u) {
  return f(u[0], u[1]);
}

// Sums and products of predicates are OR and AND (StableHLO: add, multiply).
template <OpCode code, OpCode of_predicates>
Expr Ring(const RealUse& u) {
  return {&u.b, u.b.Binary(u.type == E::PRED ? of_predicates : code, u[0], u[1])};
}

Expr AbsFn(const RealUse& u) { return IsUnsigned(u.type) ? u[0] : Abs(u[0]); }

Expr NotFn(const RealUse& u) { return u[0] ^ u[0].ci(u.type == E::PRED ? 1 : -1); }

Expr SignFn(const RealUse& u) {
  Expr x = u[0];
  if (IsUnsigned(u.type)) return Select(Cmp(Predicate::kEq, x, x.ci(0)), x, x.ci(1));
  if (IsInteger(u.type)) {
    return Select(Cmp(Predicate::kEq, x, x.ci(0)), x,
                  Select(Cmp(Predicate::kLt, x, x.ci(0)), x.ci(-1), x.ci(1)));
  }
  // Zeros and NaN are their own sign.
  Expr one = Select(Cmp(Predicate::kLt, x, 0.0), x.c(-1), x.c(1));
  Expr moving = Cmp(Predicate::kLt, Abs(x), 0.0) | Cmp(Predicate::kGt, Abs(x), 0.0);
  return Select(moving, one, x);
}

Expr RoundAfzFn(const RealUse& u) {
  Expr x = u[0], t{&u.b, u.b.Unary(OpCode::kTrunc, x)};
  Expr away = t + Select(Cmp(Predicate::kLt, x, 0.0), x.c(-1), x.c(1));
  return Select(Cmp(Predicate::kGe, Abs(x - t), 0.5), away, t);
}

Expr IsFiniteFn(const RealUse& u) {
  return Cmp(Predicate::kLt, Abs(u[0]), std::numeric_limits<double>::infinity());
}

Expr ShiftRight(const RealUse& u, E as) {
  Expr y{&u.b, u.b.Binary(OpCode::kShr, u[0].As(as), u[1].As(as))};
  return y.As(u.type);
}
Expr ShiftRightArithmeticFn(const RealUse& u) { return ShiftRight(u, SignedOf(u.type)); }
Expr ShiftRightLogicalFn(const RealUse& u) { return ShiftRight(u, UnsignedOf(u.type)); }

// By squaring, one bit of the exponent a step; negative exponents give 1 / x truncated (0, or +-1
// where |x| is 1).
Expr IntegerPower(const RealUse& u) {
  Builder& b = u.b;
  const Expr x = u[0], y = u[1];
  const kernel::Type tile = b.type(b.Add(x, y));
  auto wide = [&](Expr e) {
    return b.type(e).is_scalar() && !tile.is_scalar() ? b.Splat(e, tile)
                                                      : b.Add(e, b.Splat(x.ci(0), tile));
  };
  kernel::Values last =
      b.For(kernel::LoopKind::kSeq, b.Int(0), b.Int(Bits(u.type)), 1, kernel::Tail::kExact,
            {wide(x.ci(1)), wide(x), wide(y)}, [&](kernel::Value, const kernel::Values& c) {
              Expr result{&b, c[0]}, square{&b, c[1]}, rest{&b, c[2]};
              Expr odd = Cmp(Predicate::kNe, rest & rest.ci(1), rest.ci(0));
              Expr half = Expr{&b, b.Binary(OpCode::kShr, rest.As(UnsignedOf(u.type)),
                                            b.ConstInt(UnsignedOf(u.type), 1))}
                              .As(u.type);
              return kernel::Values{Select(odd, result * square, result), square * square, half};
            });
  Expr power{&b, last[0]};
  if (!IsSigned(u.type)) return power;
  Expr even = Cmp(Predicate::kEq, y & y.ci(1), y.ci(0));
  Expr minus = Select(even, x.ci(1), x.ci(-1));
  Expr inverse = Select(Cmp(Predicate::kEq, x, x.ci(1)), x.ci(1),
                        Select(Cmp(Predicate::kEq, x, x.ci(-1)), minus, x.ci(0)));
  return Select(Cmp(Predicate::kLt, y, y.ci(0)), inverse, power);
}
Expr PowerFn(const RealUse& u) { return IsInteger(u.type) ? IntegerPower(u) : Pow(u[0], u[1]); }

// A signed integer in the order of IEEE 754 totalOrder.
Expr TotalOrderKey(Expr x) {
  E s = SignedOf(x.elem());
  Expr bits = x.As(s);
  Expr sign = bits >> bits.ci(Bits(s) - 1);
  return bits ^ (sign & bits.ci(s == E::S32 ? INT32_MAX : s == E::S16 ? INT16_MAX : INT64_MAX));
}

Predicate PredicateOf(ComparisonDirection d) {
  switch (d) {
    case ComparisonDirection::kEq:
      return Predicate::kEq;
    case ComparisonDirection::kNe:
      return Predicate::kNe;
    case ComparisonDirection::kGe:
      return Predicate::kGe;
    case ComparisonDirection::kGt:
      return Predicate::kGt;
    case ComparisonDirection::kLe:
      return Predicate::kLe;
    case ComparisonDirection::kLt:
      break;
  }
  return Predicate::kLt;
}

Expr CompareFn(const RealUse& u) {
  const auto& a = u.i.attrs<CompareAttrs>();
  Predicate p = PredicateOf(a.direction);
  if (u.type == E::PRED) return Cmp(p, u[0].To(E::U8), u[1].To(E::U8));
  if (IsFloat(u.type) && a.type == ComparisonType::kTotalOrder)
    return Cmp(p, TotalOrderKey(u[0]), TotalOrderKey(u[1]));
  return Cmp(p, u[0], u[1]);
}

template <OpCode code, OpCode of_predicates>
Expr RealExtremum(const RealUse& u) {
  return {&u.b, u.b.Binary(u.type == E::PRED ? of_predicates : code, u[0], u[1])};
}

Expr ClampFn(const RealUse& u) {
  const bool p = u.type == E::PRED;
  Expr low{&u.b, u.b.Binary(p ? OpCode::kOr : OpCode::kMax, u[1], u[0])};
  return {&u.b, u.b.Binary(p ? OpCode::kAnd : OpCode::kMin, low, u[2])};
}

// Rounds the mantissa to nearest even at its new last place, then clamps the exponent's range (XLA:
// ReducePrecision). On the bits of the type itself, so that denormals keep their places. NaN stays
// NaN, or becomes infinity where no mantissa is left to encode it.
Parts ReducePrecision(Builder& b, const ReducePrecisionAttrs& a, Parts operand, E type) {
  const int mantissa = type == E::F64 ? 52 : type == E::F32 ? 23 : type == E::F16 ? 10 : 7;
  const int exponent = Bits(type) - 1 - mantissa;
  Expr x{&b, operand.re}, bits = x.As(UnsignedOf(type));
  auto mask = [&](uint64_t m) {
    return bits.ci(
        static_cast<int64_t>(Bits(type) == 64 ? m : m & ((uint64_t{1} << Bits(type)) - 1)));
  };
  const uint64_t sign_bit = uint64_t{1} << (mantissa + exponent);
  const uint64_t field = ((uint64_t{1} << exponent) - 1) << mantissa;
  Expr rounded = bits;
  if (a.mantissa_bits < mantissa) {
    const int64_t cut = mantissa - a.mantissa_bits;
    Expr last = (bits >> mask(static_cast<uint64_t>(cut))) & mask(1);
    Expr bias = last + mask((uint64_t{1} << (cut - 1)) - 1);
    rounded = (bits + bias) & mask(~((uint64_t{1} << cut) - 1));
  }
  if (a.exponent_bits < exponent) {
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1,
                   new_bias = (uint64_t{1} << (a.exponent_bits - 1)) - 1;
    Expr sign = rounded & mask(sign_bit), e = rounded & mask(field);
    Expr infinite = Cmp(Predicate::kGt, e, mask((bias + new_bias) << mantissa));
    Expr zero = Cmp(Predicate::kLe, e, mask((bias - new_bias) << mantissa));
    rounded = Select(zero, sign, Select(infinite, sign | mask(field), rounded));
  }
  Expr is_nan = Cmp(Predicate::kGt, bits & mask(~sign_bit), mask(field));
  Expr nan = a.mantissa_bits > 0 ? bits : mask(field);
  return {Select(is_nan, nan, rounded).As(type)};
}

// One application of an op to whole elements, real or complex, in the type that they are held in.
struct WholeUse {
  Builder& b;
  const HloInstruction& i;
  absl::Span<const Parts> x;
  ElementType in, out;
};
using WholeFn = Parts (*)(const WholeUse&);

Parts CopyFn(const WholeUse& u) { return u.x[0]; }
Parts ConvertFn(const WholeUse& u) { return EmitConvert(u.b, u.x[0], u.in, u.out); }
Parts ReducePrecisionFn(const WholeUse& u) {
  return ReducePrecision(u.b, u.i.attrs<ReducePrecisionAttrs>(), u.x[0], u.in);
}
Parts RealFn(const WholeUse& u) { return {u.x[0].re}; }
Parts ImagFn(const WholeUse& u) { return {u.x[0].complex() ? u.x[0].im : u.b.Const(u.out, 0)}; }
Parts MakeComplexFn(const WholeUse& u) { return {u.x[0].re, u.x[1].re}; }
Parts SelectFn(const WholeUse& u) {
  Parts y{u.b.Select(u.x[0].re, u.x[1].re, u.x[2].re)};
  if (u.x[1].complex()) y.im = u.b.Select(u.x[0].re, u.x[1].im, u.x[2].im);
  return y;
}

constexpr OpRow<WholeFn> kWholeRows[] = {
    {HloOpcode::Complex, MakeComplexFn}, {HloOpcode::Convert, ConvertFn},
    {HloOpcode::Copy, CopyFn},           {HloOpcode::Imag, ImagFn},
    {HloOpcode::Real, RealFn},           {HloOpcode::ReducePrecision, ReducePrecisionFn},
    {HloOpcode::Select, SelectFn},
};
constexpr auto kWhole = TotalTable(kWholeRows, MovesWholeElements);

// Which real types an op has is in its row; here is only what is done.
constexpr OpRow<ComputedFn> kRealRows[] = {
    {HloOpcode::Abs, AbsFn},
    {HloOpcode::Acos, RealMath<Acos>},
    {HloOpcode::Acosh, RealMath<Acosh>},
    {HloOpcode::Asin, RealMath<Asin>},
    {HloOpcode::Asinh, RealMath<Asinh>},
    {HloOpcode::Atan, RealMath<Atan>},
    {HloOpcode::Atanh, RealMath<Atanh>},
    {HloOpcode::Cbrt, RealMath<Cbrt>},
    {HloOpcode::Ceil, Unary<OpCode::kCeil>},
    {HloOpcode::Clz, Unary<OpCode::kClz>},
    {HloOpcode::Cosine, RealMath<Cos>},
    {HloOpcode::Cosh, RealMath<Cosh>},
    {HloOpcode::Erf, RealMath<Erf>},
    {HloOpcode::Exp, RealMath<Exp>},
    {HloOpcode::Expm1, RealMath<Expm1>},
    {HloOpcode::Floor, Unary<OpCode::kFloor>},
    {HloOpcode::IsFinite, IsFiniteFn},
    {HloOpcode::Log, RealMath<Log>},
    {HloOpcode::Log1p, RealMath<Log1p>},
    {HloOpcode::Logistic, RealMath<Logistic>},
    {HloOpcode::Negate, Unary<OpCode::kNeg>},
    {HloOpcode::Not, NotFn},
    {HloOpcode::Popcnt, Unary<OpCode::kPopcnt>},
    {HloOpcode::RoundAfz, RoundAfzFn},
    {HloOpcode::RoundEven, Unary<OpCode::kRoundEven>},
    {HloOpcode::Rsqrt, RealMath<Rsqrt>},
    {HloOpcode::Sign, SignFn},
    {HloOpcode::Sine, RealMath<Sin>},
    {HloOpcode::Sinh, RealMath<Sinh>},
    {HloOpcode::Sqrt, Unary<OpCode::kSqrt>},
    {HloOpcode::Tan, RealMath<Tan>},
    {HloOpcode::Tanh, RealMath<Tanh>},
    {HloOpcode::Add, Ring<OpCode::kAdd, OpCode::kOr>},
    {HloOpcode::And, Binary<OpCode::kAnd>},
    {HloOpcode::Atan2, RealMath2<Atan2>},
    {HloOpcode::Compare, CompareFn},
    {HloOpcode::Divide, Binary<OpCode::kDiv>},
    {HloOpcode::Maximum, RealExtremum<OpCode::kMax, OpCode::kOr>},
    {HloOpcode::Minimum, RealExtremum<OpCode::kMin, OpCode::kAnd>},
    {HloOpcode::Mulhi, Binary<OpCode::kMulHi>},
    {HloOpcode::Multiply, Ring<OpCode::kMul, OpCode::kAnd>},
    {HloOpcode::Or, Binary<OpCode::kOr>},
    {HloOpcode::Power, PowerFn},
    {HloOpcode::Remainder, Binary<OpCode::kRem>},
    {HloOpcode::ShiftLeft, Binary<OpCode::kShl>},
    {HloOpcode::ShiftRightArithmetic, ShiftRightArithmeticFn},
    {HloOpcode::ShiftRightLogical, ShiftRightLogicalFn},
    {HloOpcode::Subtract, Binary<OpCode::kSub>},
    {HloOpcode::Xor, Binary<OpCode::kXor>},
    {HloOpcode::Clamp, ClampFn},
};
constexpr auto kReal = TotalTable(kRealRows, ComputesElements);

// Ops that compare or test elements: their result is a predicate whatever they compute in.
bool GivesPredicate(HloOpcode op) {
  return Info(op).infer == infer::Compare || Info(op).infer == infer::ToPredicate;
}

}  // namespace

Parts EmitConvert(Builder& b, Parts x, E from, E to) {
  if (from == to) return x;
  if (IsComplex(to)) {
    E part = RealPart(to);
    Parts y;
    y.re = b.Convert(x.re, part);
    y.im = x.complex() ? b.Convert(x.im, part) : b.Const(part, 0);
    return y;
  }
  return {b.Convert(x.re, to)};
}

Parts EmitScalarConstant(Builder& b, const Literal& literal, int64_t index) {
  const E t = literal.shape().element_type();
  const size_t k = static_cast<size_t>(index);
  switch (t) {
    case E::C64: {
      auto v = literal.data<std::complex<float>>()[k];
      return {b.Const(E::F32, v.real()), b.Const(E::F32, v.imag())};
    }
    case E::C128: {
      auto v = literal.data<std::complex<double>>()[k];
      return {b.Const(E::F64, v.real()), b.Const(E::F64, v.imag())};
    }
    case E::PRED:
      return {b.ConstInt(t, literal.data<uint8_t>()[k] != 0)};
    case E::S64:
    case E::U64:
      return {b.ConstInt(t, literal.data<int64_t>()[k])};
    default:
      return {IsInteger(t) ? b.ConstInt(t, static_cast<int64_t>(literal.GetAsDouble(index)))
                           : b.Const(t, literal.GetAsDouble(index))};
  }
}

bool HasElementType(E type) {
  return IsArrayType(type) && Bits(type) >= 8 && (!IsFloat(type) || Bits(type) >= 16);
}

absl::StatusOr<Parts> EmitElementwise(Builder& b, const HloInstruction& i,
                                      absl::Span<const Parts> x, E in, E out) {
  if (MovesWholeElements(Info(i.op())))
    return kWhole[static_cast<size_t>(i.op())](WholeUse{b, i, x, in, out});
  if (IsComplex(in)) return EmitComplex(b, i, x, in);
  const E type = ComputedIn(in);
  absl::InlinedVector<Expr, 3> wide;
  for (const Parts& p : x) wide.push_back(Expr{&b, b.Convert(p.re, type)});
  Expr y = kReal[static_cast<size_t>(i.op())](RealUse{b, i, wide, type, out});
  return Parts{GivesPredicate(i.op()) ? y.v : b.Convert(y, out)};
}

}  // namespace sinter::emit
