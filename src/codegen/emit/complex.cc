#include "codegen/emit/complex.h"

#include "base/status.h"
#include "codegen/emit/math/complex.h"

namespace sinter::emit {
namespace {

using kernel::Builder;
using kernel::Expr;
using kernel::Predicate;
using E = ElementType;

// Computed in the type of the parts: sums and products.
Complex OfParts(HloOpcode op, Complex x, Complex y) {
  switch (op) {
    case HloOpcode::Add:
      return {x.re + y.re, x.im + y.im};
    case HloOpcode::Subtract:
      return {x.re - y.re, x.im - y.im};
    case HloOpcode::Negate:
      return {-x.re, -x.im};
    default:
      return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
}

// C64 in F64, where nothing overflows or vanishes, and rounded once.
Complex DivideIn64(Complex x, Complex y) {
  Expr a = x.re.To(E::F64), b = x.im.To(E::F64), c = y.re.To(E::F64), d = y.im.To(E::F64);
  Expr norm = c * c + d * d;
  return {((a * c + b * d) / norm).To(E::F32), ((b * c - a * d) / norm).To(E::F32)};
}

// Complex numbers compare as the pairs of their parts; the result is NaN if a part is.
Complex Extremum(bool maximum, Complex x, Complex y) {
  const Predicate less = maximum ? Predicate::kLt : Predicate::kGt;
  auto is_nan = [](Complex z) {
    return Cmp(Predicate::kNe, z.re, z.re) | Cmp(Predicate::kNe, z.im, z.im);
  };
  Expr second = Cmp(less, x.re, y.re) | (Cmp(Predicate::kEq, x.re, y.re) & Cmp(less, x.im, y.im));
  second = (second | is_nan(y)) & (is_nan(x) ^ second.ci(1));
  return {Select(second, y.re, x.re), Select(second, y.im, x.im)};
}

using UnaryFunction = Complex (*)(Complex);
UnaryFunction FunctionOf(HloOpcode op) {
  switch (op) {
    case HloOpcode::Acos:
      return Acos;
    case HloOpcode::Acosh:
      return Acosh;
    case HloOpcode::Asin:
      return Asin;
    case HloOpcode::Asinh:
      return Asinh;
    case HloOpcode::Atan:
      return Atan;
    case HloOpcode::Atanh:
      return Atanh;
    case HloOpcode::Cbrt:
      return Cbrt;
    case HloOpcode::Cosh:
      return Cosh;
    case HloOpcode::Cosine:
      return Cos;
    case HloOpcode::Exp:
      return Exp;
    case HloOpcode::Expm1:
      return Expm1;
    case HloOpcode::Log:
      return Log;
    case HloOpcode::Log1p:
      return Log1p;
    case HloOpcode::Logistic:
      return Logistic;
    case HloOpcode::Rsqrt:
      return Rsqrt;
    case HloOpcode::Sine:
      return Sin;
    case HloOpcode::Sinh:
      return Sinh;
    case HloOpcode::Sqrt:
      return Sqrt;
    case HloOpcode::Tan:
      return Tan;
    case HloOpcode::Tanh:
      return Tanh;
    default:
      return nullptr;
  }
}

}  // namespace

bool HasComplex(HloOpcode op) {
  switch (op) {
    case HloOpcode::Atan2:
    case HloOpcode::Copy:
    case HloOpcode::Convert:
    case HloOpcode::Real:
    case HloOpcode::Imag:
    case HloOpcode::Select:
    case HloOpcode::Add:
    case HloOpcode::Subtract:
    case HloOpcode::Negate:
    case HloOpcode::Multiply:
    case HloOpcode::Divide:
    case HloOpcode::Abs:
    case HloOpcode::Sign:
    case HloOpcode::Compare:
    case HloOpcode::Maximum:
    case HloOpcode::Minimum:
    case HloOpcode::Power:
      return true;
    default:
      return FunctionOf(op) != nullptr;
  }
}

absl::StatusOr<Parts> EmitComplex(Builder& b, const HloInstruction& i,
                                  absl::Span<const Parts> operands, E type) {
  auto z = [&](size_t k) { return Complex{{&b, operands[k].re}, {&b, operands[k].im}}; };
  auto parts = [](Complex c) { return Parts{c.re.v, c.im.v}; };
  // Elementary functions of C64 are computed in F64.
  const bool narrow = type == E::C64;
  auto wide = [&](size_t k) {
    Complex x = z(k);
    return narrow ? Complex{x.re.To(E::F64), x.im.To(E::F64)} : x;
  };
  auto rounded = [&](Complex c) {
    return parts(narrow ? Complex{c.re.To(E::F32), c.im.To(E::F32)} : c);
  };
  if (UnaryFunction f = FunctionOf(i.op())) return rounded(f(wide(0)));
  switch (i.op()) {
    case HloOpcode::Add:
    case HloOpcode::Subtract:
    case HloOpcode::Multiply:
      return parts(OfParts(i.op(), z(0), z(1)));
    case HloOpcode::Negate:
      return parts(OfParts(i.op(), z(0), z(0)));
    case HloOpcode::Divide:
      return parts(narrow ? DivideIn64(z(0), z(1)) : Divide(z(0), z(1)));
    case HloOpcode::Power:
      return rounded(Pow(wide(0), wide(1)));
    case HloOpcode::Atan2:
      return rounded(Atan2(wide(0), wide(1)));
    case HloOpcode::Maximum:
    case HloOpcode::Minimum:
      return parts(Extremum(i.op() == HloOpcode::Maximum, z(0), z(1)));
    case HloOpcode::Abs:
      return Parts{Modulus(z(0))};
    case HloOpcode::Sign: {
      Complex x = z(0);
      Expr length = Modulus(x), zero = Cmp(Predicate::kEq, length, 0.0);
      return Parts{Select(zero, x.re.c(0), x.re / length), Select(zero, x.im.c(0), x.im / length)};
    }
    case HloOpcode::Compare: {
      Complex x = z(0), y = z(1);
      const bool equal = i.attrs<CompareAttrs>().direction == ComparisonDirection::kEq;
      const Predicate p = equal ? Predicate::kEq : Predicate::kNe;
      Expr re = Cmp(p, x.re, y.re), im = Cmp(p, x.im, y.im);
      return Parts{equal ? re & im : re | im};
    }
    default:
      return Unimplemented("{} of {} has no code for compiled devices", Name(i.op()), Name(type));
  }
}

}  // namespace sinter::emit
