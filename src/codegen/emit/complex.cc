#include "codegen/emit/complex.h"

#include <limits>

#include "base/status.h"

namespace sinter::emit {
namespace {

using kernel::Builder;
using kernel::Expr;
using kernel::Predicate;
using E = ElementType;

struct Complex {
  Expr re, im;
};

// |z|. F32 squares in F64, where nothing overflows or vanishes; F64 divides by the larger part.
Expr Modulus(Complex z) {
  const double inf = std::numeric_limits<double>::infinity();
  Expr a = Abs(z.re), c = Abs(z.im);
  Expr infinite = Cmp(Predicate::kEq, a, inf) | Cmp(Predicate::kEq, c, inf);
  if (a.elem() == E::F32) {
    Expr x = a.To(E::F64), y = c.To(E::F64);
    return Select(infinite, a.c(inf), Sqrt(x * x + y * y).To(E::F32));
  }
  Builder& b = *a.b;
  Expr big{&b, b.Max(a, c)}, small{&b, b.Min(a, c)};
  Expr ratio = small / big;
  Expr length = Select(Cmp(Predicate::kEq, big, 0.0), big, big * Sqrt(Fma(ratio, ratio, 1.0)));
  return Select(infinite, a.c(inf), length);
}

Complex DivideIn64(Complex x, Complex y) {
  Expr a = x.re.To(E::F64), b = x.im.To(E::F64), c = y.re.To(E::F64), d = y.im.To(E::F64);
  Expr norm = c * c + d * d;
  return {((a * c + b * d) / norm).To(E::F32), ((b * c - a * d) / norm).To(E::F32)};
}

Complex DivideBySmith(Complex x, Complex y) {
  Expr swap = Cmp(Predicate::kLt, Abs(y.re), Abs(y.im));
  Expr big = Select(swap, y.im, y.re), small = Select(swap, y.re, y.im);
  Expr ratio = small / big, denominator = Fma(small, ratio, big);
  Expr p = Select(swap, x.im, x.re), q = Select(swap, x.re, x.im);
  Expr re = Fma(q, ratio, p) / denominator;
  Expr im = Fma(-p, ratio, q) / denominator;
  return {re, Select(swap, -im, im)};
}

}  // namespace

bool HasComplex(HloOpcode op) {
  switch (op) {
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
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Parts> EmitComplex(Builder& b, const HloInstruction& i,
                                  absl::Span<const Parts> operands, E type) {
  auto z = [&](size_t k) { return Complex{{&b, operands[k].re}, {&b, operands[k].im}}; };
  auto parts = [](Complex c) { return Parts{c.re.v, c.im.v}; };
  switch (i.op()) {
    case HloOpcode::Add:
      return Parts{z(0).re + z(1).re, z(0).im + z(1).im};
    case HloOpcode::Subtract:
      return Parts{z(0).re - z(1).re, z(0).im - z(1).im};
    case HloOpcode::Negate:
      return Parts{-z(0).re, -z(0).im};
    case HloOpcode::Multiply: {
      Complex x = z(0), y = z(1);
      return Parts{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    }
    case HloOpcode::Divide:
      return parts(type == E::C64 ? DivideIn64(z(0), z(1)) : DivideBySmith(z(0), z(1)));
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
