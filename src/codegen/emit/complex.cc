#include "codegen/emit/complex.h"

#include "codegen/emit/elementwise.h"
#include "codegen/emit/math/complex.h"

namespace sinter::emit {
namespace {

using kernel::Builder;
using kernel::Expr;
using kernel::Predicate;
using E = ElementType;

// C64 in F64, where nothing overflows or vanishes, products are exact, and what a reciprocal loses
// is nothing beside the rounding to F32.
Complex DivideIn64(Complex x, Complex y) {
  Expr a = x.re.To(E::F64), b = x.im.To(E::F64), c = y.re.To(E::F64), d = y.im.To(E::F64);
  Expr scale = c.c(1) / Fma(c, c, d * d);
  Expr re = Fma(a, c, b * d), im = Fma(b, c, -(a * d));
  return {(re * scale).To(E::F32), (im * scale).To(E::F32)};
}

// Complex numbers compare as the pairs of their parts; the result is NaN if a part is.
Complex ComplexExtremum(bool maximum, Complex x, Complex y) {
  const Predicate less = maximum ? Predicate::kLt : Predicate::kGt;
  auto is_nan = [](Complex z) {
    return Cmp(Predicate::kNe, z.re, z.re) | Cmp(Predicate::kNe, z.im, z.im);
  };
  Expr second = Cmp(less, x.re, y.re) | (Cmp(Predicate::kEq, x.re, y.re) & Cmp(less, x.im, y.im));
  second = (second | is_nan(y)) & (is_nan(x) ^ second.ci(1));
  return {Select(second, y.re, x.re), Select(second, y.im, x.im)};
}

// One application of an op to complex tiles of element type `type`.
struct ComplexUse {
  Builder& b;
  const HloInstruction& i;
  absl::Span<const Parts> x;
  ElementType type;

  Complex operator[](size_t k) const { return {{&b, x[k].re}, {&b, x[k].im}}; }
  // Elementary functions of C64 are computed in F64 and rounded once.
  bool narrow() const { return type == E::C64; }
  Complex Wide(size_t k) const {
    Complex z = (*this)[k];
    return narrow() ? Complex{z.re.To(E::F64), z.im.To(E::F64)} : z;
  }
  Parts Rounded(Complex z) const {
    return narrow() ? Of({z.re.To(E::F32), z.im.To(E::F32)}) : Of(z);
  }
  static Parts Of(Complex z) { return {z.re.v, z.im.v}; }
};
using ComplexFn = Parts (*)(const ComplexUse&);

template <Complex (*f)(Complex)>
Parts ComplexMath(const ComplexUse& u) {
  return u.Rounded(f(u.Wide(0)));
}
template <Complex (*f)(Complex, Complex)>
Parts ComplexMath2(const ComplexUse& u) {
  return u.Rounded(f(u.Wide(0), u.Wide(1)));
}

Parts ComplexAddFn(const ComplexUse& u) {
  Complex x = u[0], y = u[1];
  return ComplexUse::Of({x.re + y.re, x.im + y.im});
}
Parts ComplexSubtractFn(const ComplexUse& u) {
  Complex x = u[0], y = u[1];
  return ComplexUse::Of({x.re - y.re, x.im - y.im});
}
Parts ComplexNegateFn(const ComplexUse& u) { return ComplexUse::Of({-u[0].re, -u[0].im}); }
Parts ComplexMultiplyFn(const ComplexUse& u) {
  Complex x = u[0], y = u[1];
  return ComplexUse::Of({x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re});
}
Parts ComplexDivideFn(const ComplexUse& u) {
  const Complex quotient = u.narrow() ? DivideIn64(u[0], u[1]) : Divide(u[0], u[1]);
  return ComplexUse::Of(QuotientAtLimits(u[0], u[1], quotient));
}
template <bool maximum>
Parts ComplexExtremumFn(const ComplexUse& u) {
  return ComplexUse::Of(ComplexExtremum(maximum, u[0], u[1]));
}
Parts ComplexAbsFn(const ComplexUse& u) { return {Modulus(u[0])}; }
Parts ComplexSignFn(const ComplexUse& u) {
  Complex x = u[0];
  Expr length = Modulus(x), zero = Cmp(Predicate::kEq, length, 0.0);
  return {Select(zero, x.re.c(0), x.re / length), Select(zero, x.im.c(0), x.im / length)};
}
Parts ComplexCompareFn(const ComplexUse& u) {
  Complex x = u[0], y = u[1];
  const bool equal = u.i.attrs<CompareAttrs>().direction == ComparisonDirection::kEq;
  const Predicate p = equal ? Predicate::kEq : Predicate::kNe;
  Expr re = Cmp(p, x.re, y.re), im = Cmp(p, x.im, y.im);
  return {equal ? re & im : re | im};
}

constexpr bool ComputesComplexElements(const OpInfo& info) {
  return ComputesElements(info) && (info.types & kComplexes);
}
constexpr OpRow<ComplexFn> kComplexRows[] = {
    {HloOpcode::Abs, ComplexAbsFn},
    {HloOpcode::Acos, ComplexMath<Acos>},
    {HloOpcode::Acosh, ComplexMath<Acosh>},
    {HloOpcode::Add, ComplexAddFn},
    {HloOpcode::Asin, ComplexMath<Asin>},
    {HloOpcode::Asinh, ComplexMath<Asinh>},
    {HloOpcode::Atan, ComplexMath<Atan>},
    {HloOpcode::Atan2, ComplexMath2<Atan2>},
    {HloOpcode::Atanh, ComplexMath<Atanh>},
    {HloOpcode::Cbrt, ComplexMath<Cbrt>},
    {HloOpcode::Compare, ComplexCompareFn},
    {HloOpcode::Cosh, ComplexMath<Cosh>},
    {HloOpcode::Cosine, ComplexMath<Cos>},
    {HloOpcode::Divide, ComplexDivideFn},
    {HloOpcode::Exp, ComplexMath<Exp>},
    {HloOpcode::Expm1, ComplexMath<Expm1>},
    {HloOpcode::Log, ComplexMath<Log>},
    {HloOpcode::Log1p, ComplexMath<Log1p>},
    {HloOpcode::Logistic, ComplexMath<Logistic>},
    {HloOpcode::Maximum, ComplexExtremumFn<true>},
    {HloOpcode::Minimum, ComplexExtremumFn<false>},
    {HloOpcode::Multiply, ComplexMultiplyFn},
    {HloOpcode::Negate, ComplexNegateFn},
    {HloOpcode::Power, ComplexMath2<Pow>},
    {HloOpcode::Rsqrt, ComplexMath<Rsqrt>},
    {HloOpcode::Sign, ComplexSignFn},
    {HloOpcode::Sine, ComplexMath<Sin>},
    {HloOpcode::Sinh, ComplexMath<Sinh>},
    {HloOpcode::Sqrt, ComplexMath<Sqrt>},
    {HloOpcode::Subtract, ComplexSubtractFn},
    {HloOpcode::Tan, ComplexMath<Tan>},
    {HloOpcode::Tanh, ComplexMath<Tanh>},
};
constexpr auto kComplex = TotalTable(kComplexRows, ComputesComplexElements);

}  // namespace

Parts EmitComplex(Builder& b, const HloInstruction& i, absl::Span<const Parts> operands, E type) {
  return kComplex[static_cast<size_t>(i.op())](ComplexUse{b, i, operands, type});
}

}  // namespace sinter::emit
