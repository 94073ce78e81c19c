#include "codegen/emit/math/complex.h"

#include <numbers>

#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

constexpr double kPi = std::numbers::pi;

Expr IsInfinite(Expr x) { return Cmp(Predicate::kEq, Abs(x), kInf); }
Expr IsNan(Expr x) { return Cmp(Predicate::kNe, x, x); }
Expr Not(Expr mask) { return mask ^ mask.ci(1); }
Expr Zero(Expr x) { return x.c(0); }
Complex Select(Expr mask, Complex x, Complex y) {
  return {kernel::Select(mask, x.re, y.re), kernel::Select(mask, x.im, y.im)};
}
// NaN stays from either.
Expr Larger(Expr x, Expr y) { return {x.b, x.b->Max(x, y)}; }
Expr Smaller(Expr x, Expr y) { return {x.b, x.b->Min(x, y)}; }
// The magnitude of x, which may be NaN, with a sign.
Expr WithSign(Expr x, Expr sign) { return CopySign(Abs(x), sign); }

// i z, -i z.
Complex TimesI(Complex z) { return {-z.im, z.re}; }
Complex OverI(Complex z) { return {z.im, -z.re}; }

// Beyond it squares overflow, below its inverse they vanish.
double Huge(Expr x) { return IsF64(x) ? 0x1p500 : 0x1p60; }

// e^x s, where e^x alone may overflow; and half of it.
Expr ExpTimes(Expr half_power, Expr s) { return half_power * s * half_power; }
Expr HalfExpTimes(Expr half_power, Expr s) { return half_power * 0.5 * s * half_power; }

// log |z|. Near the unit circle from |z|^2 - 1.
Expr LogModulus(Complex z) {
  Expr a = Abs(z.re), b = Abs(z.im);
  Expr big = Larger(a, b), small = Smaller(a, b);
  Expr near = Cmp(Predicate::kGe, big, 0.5) & Cmp(Predicate::kLe, big, 2);
  Expr ratio = small / big;
  Expr argument = Select(near, Fma(big - 1.0, big + 1.0, small * small), ratio * ratio);
  Expr rest = Log1p(argument) * 0.5;
  Expr log = Select(near, rest, Log(big) + rest);
  log = Select(IsZero(big), big.c(-kInf), log);
  return Select(IsInfinite(a) | IsInfinite(b), big.c(kInf), log);
}

// What the inverse sine and cosine have in common: the angle of (|re|, d) is the real part of the
// first, log is the imaginary part's magnitude.
struct InverseSine {
  Expr d, log;
};
InverseSine InverseSineOf(Complex z) {
  Expr x = Abs(z.re), y = Abs(z.im);
  const double huge = Huge(x);
  Expr is_large = Cmp(Predicate::kGt, x, huge) | Cmp(Predicate::kGt, y, huge);
  Expr xp = x + 1.0, xm = x - 1.0, yy = y * y;
  // The distances from -1 and 1; a is half their sum, at least 1.
  Expr r = Sqrt(Fma(xp, xp, yy));
  Expr s = Select(IsZero(xm), y, Sqrt(Fma(xm, xm, yy)));
  Expr a = (r + s) * 0.5;
  Expr outside = Cmp(Predicate::kGt, x, 1), inside = Cmp(Predicate::kLt, x, 1);
  Expr right = x.c(1) / (r + xp);
  Expr left = x.c(1) / (s + Abs(xm));
  // y^2 is taken out of roots: it may vanish.
  Expr slope = Sqrt((right + left) * 0.5 * (a + Select(outside, x, x.c(1))));
  Expr below = Fma(yy, right, s - xm);  // 2 (a - x) for x <= 1
  Expr d = Select(outside, y * slope, Sqrt(below * ((a + x) * 0.5)));
  Expr above = Select(inside, yy * (right + left), Fma(yy, right, s + xm));  // 2 (a - 1)
  Expr root = Select(inside, y * slope, Sqrt(above * ((a + 1.0) * 0.5)));
  // A huge z: log |2z|, and the angle is that of z.
  Expr log = Select(is_large, LogModulus(z) + kLn2, Log1p(Fma(above, above.c(0.5), root)));
  return {Select(is_large, y, d), log};
}

// The real part of the inverse cosine: a right angle also where d is NaN.
Expr AngleOf(const InverseSine& p, Expr re) {
  return Select(IsZero(re), re.c(kPi / 2), Atan2(p.d, re));
}

// x / 0, by the sign of the zero.
Complex OverZero(Complex x, Complex zero) {
  Expr infinity = WithSign(zero.re.c(kInf), zero.re);
  return {infinity * x.re, infinity * x.im};
}

}  // namespace

Expr Modulus(Complex z) {
  Expr a = Abs(z.re), b = Abs(z.im);
  Expr infinite = IsInfinite(a) | IsInfinite(b);
  if (!IsF64(a)) {
    // In F64 nothing overflows or vanishes.
    Expr x = a.To(ElementType::F64), y = b.To(ElementType::F64);
    return Select(infinite, a.c(kInf), Sqrt(x * x + y * y).To(ElementType::F32));
  }
  Expr big = Larger(a, b), small = Smaller(a, b);
  Expr ratio = small / big;
  Expr length = Select(IsZero(big), big, big * Sqrt(Fma(ratio, ratio, 1.0)));
  return Select(infinite, a.c(kInf), length);
}

Complex Divide(Complex x, Complex y) {
  Expr swap = Cmp(Predicate::kLt, Abs(y.re), Abs(y.im));
  Expr big = Select(swap, y.im, y.re), small = Select(swap, y.re, y.im);
  Expr ratio = small / big, denominator = Fma(small, ratio, big);
  Expr p = Select(swap, x.im, x.re), q = Select(swap, x.re, x.im);
  Expr re = Fma(q, ratio, p) / denominator;
  Expr im = Fma(-p, ratio, q) / denominator;
  Complex quotient{re, Select(swap, -im, im)};
  return Select(IsZero(y.re) & IsZero(y.im), OverZero(x, y), quotient);
}

Complex QuotientAtLimits(Complex x, Complex y, Complex quotient) {
  // Infinite parts as 1 and the others as 0, all with their signs.
  auto unit = [](Complex z) {
    auto part = [](Expr v) { return WithSign(Select(IsInfinite(v), v.c(1), v.c(0)), v); };
    return Complex{part(z.re), part(z.im)};
  };
  auto is_infinite = [](Complex z) { return IsInfinite(z.re) | IsInfinite(z.im); };
  auto is_finite = [](Complex z) { return IsFinite(z.re) & IsFinite(z.im); };
  Expr lost = IsNan(quotient.re) & IsNan(quotient.im);
  Expr large = is_infinite(x) & is_finite(y), small = is_finite(x) & is_infinite(y);
  Complex p = Select(large, unit(x), x), q = Select(small, unit(y), y);
  Expr factor = Select(large, x.re.c(kInf), x.re.c(0));
  Complex limit{factor * (p.re * q.re + p.im * q.im), factor * (p.im * q.re - p.re * q.im)};
  Expr by_zero = IsZero(y.re) & IsZero(y.im);
  limit = Select(by_zero, OverZero(x, y), limit);
  return Select(lost & (large | small | by_zero), limit, quotient);
}

Complex Exp(Complex z) {
  Expr half = Exp(z.re * 0.5);
  Expr c = Cos(z.im), s = Sin(z.im);
  Complex w{ExpTimes(half, c), ExpTimes(half, s)};
  // Where the power is 0 or infinite, a direction that is none gives zeros and an infinity.
  Expr lost = Not(IsFinite(z.im)) & IsInfinite(z.re);
  Expr negative = Cmp(Predicate::kLt, z.re, 0);
  w = Select(lost,
             Complex{Select(negative, Zero(c), z.re), Select(negative, Zero(c), z.re.c(kNaN))}, w);
  Expr real = IsZero(z.im);  // infinity times 0
  w.re = Select(real, half * half, w.re);
  w.im = Select(real, z.im, w.im);
  return w;
}

Complex Expm1(Complex z) {
  // cos b - 1 = -2 sin^2(b / 2), so that nothing cancels near zero; elsewhere exp(z) - 1.
  Complex e = Exp(z);
  Expr half_sine = Sin(z.im * 0.5);
  Expr near = Fma(half_sine * -2.0, half_sine, Expm1(z.re) * Cos(z.im));
  Expr re = Select(Cmp(Predicate::kLt, z.re, 1) & IsFinite(z.im), near, e.re - 1.0);
  return {Select(IsZero(z.im), Expm1(z.re), re), e.im};
}

Complex Log(Complex z) { return {LogModulus(z), Atan2(z.im, z.re)}; }

Complex Log1p(Complex z) {
  Expr is_small = Cmp(Predicate::kLt, Abs(z.re), 0.5) & Cmp(Predicate::kLt, Abs(z.im), 0.5);
  // |1 + z|^2 - 1 = a (2 + a) + b^2.
  Expr near = Log1p(Fma(z.re, z.re + 2.0, z.im * z.im)) * 0.5;
  Complex shifted{z.re + 1.0, z.im};
  return {Select(is_small, near, LogModulus(shifted)), Atan2(z.im, shifted.re)};
}

Complex Logistic(Complex z) {
  // Of the two forms the one whose exponential does not overflow.
  Expr right = Cmp(Predicate::kGe, z.re, 0);
  Expr a = -Abs(z.re);
  Complex e = Exp(Complex{a, Select(right, -z.im, z.im)});
  Complex one{z.re.c(1), Zero(z.re)};
  // 1 + e^a cos b vanishes at the poles, odd multiples of pi i: there 1 + cos b + (e^a - 1) cos b.
  Expr half_cosine = Cos(z.im * 0.5);
  Expr near = Fma(half_cosine * 2.0, half_cosine, Expm1(a) * Cos(z.im));
  Expr re = Select(IsFinite(z.re) & IsFinite(z.im), near, e.re + 1.0);
  return Divide(Select(right, one, e), Complex{re, e.im});
}

Complex Sqrt(Complex z) {
  Expr a = Abs(z.re), b = Abs(z.im);
  // Parts whose sum overflows or whose quotients are denormal are scaled by a power of 4.
  const double huge = Huge(a);
  Expr big = Larger(a, b);
  Expr up = Cmp(Predicate::kLt, big, 1 / huge), down = Cmp(Predicate::kGt, big, huge);
  const double scale = IsF64(a) ? 0x1p200 : 0x1p40, root = IsF64(a) ? 0x1p100 : 0x1p20;
  Expr factor = Select(up, a.c(scale), Select(down, a.c(1 / scale), a.c(1)));
  Expr back = Select(up, a.c(1 / root), Select(down, a.c(root), a.c(1)));
  Expr x = a * factor, y = b * factor;
  Expr t = Sqrt((x + Modulus({x, y})) * 0.5);
  Expr u = Select(IsZero(y) & Not(IsNan(x)), Zero(y), y / (t + t)) * back;
  t = t * back;
  Expr left = Cmp(Predicate::kLt, z.re, 0);
  Complex w{Select(left, u, t), WithSign(Select(left, t, u), z.im)};
  // Infinite parts.
  Expr re_infinite = IsInfinite(a), im_infinite = IsInfinite(b);
  Expr other = Select(IsNan(b), b, Zero(b));
  Complex of_re{Select(left, other, a), WithSign(Select(left, a, other), z.im)};
  w = Select(re_infinite, of_re, w);
  return Select(im_infinite, Complex{b, z.im}, w);
}

Complex Rsqrt(Complex z) {
  Complex root = Sqrt(z);
  Complex w = Divide(Complex{z.re.c(1), Zero(z.re)}, root);
  Expr infinite = IsInfinite(root.re) | IsInfinite(root.im);
  return Select(infinite, Complex{WithSign(Zero(z.re), root.re), WithSign(Zero(z.re), -root.im)},
                w);
}

Complex Cbrt(Complex z) {
  // The modulus of denormal parts is one: they are scaled by a power of 8.
  const bool wide = IsF64(z.re);
  Expr tiny = Cmp(Predicate::kLt, Larger(Abs(z.re), Abs(z.im)), wide ? 0x1p-900 : 0x1p-100);
  Expr factor = Select(tiny, z.re.c(wide ? 0x1p180 : 0x1p60), z.re.c(1));
  Expr back = Select(tiny, z.re.c(wide ? 0x1p-60 : 0x1p-20), z.re.c(1));
  Expr modulus = Cbrt(Modulus({z.re * factor, z.im * factor})) * back;
  Expr angle = Atan2(z.im, z.re) * (1.0 / 3);
  Expr real = IsZero(z.im) & Cmp(Predicate::kGe, z.re, 0);
  return {Select(real, Cbrt(z.re), modulus * Cos(angle)), Select(real, z.im, modulus * Sin(angle))};
}

Complex Sinh(Complex z) {
  // sinh a cos b + i cosh a sin b; where the first factors overflow, e^|a| / 2 is both.
  Expr a = z.re, c = Cos(z.im), s = Sin(z.im);
  Expr large = Cmp(Predicate::kGt, Abs(a), IsF64(a) ? 40.0 : 20.0);
  Expr half = Exp(Abs(a) * 0.5);
  Complex w{Select(large, HalfExpTimes(half, WithSign(a.c(1), a) * c), Sinh(a) * c),
            Select(large, HalfExpTimes(half, s), Cosh(a) * s)};
  // 0 times an infinity or a direction that is none.
  Expr zero = Select(IsNan(c), a, a * c);
  w.re = Select(IsZero(a), zero, Select(IsZero(z.im), Sinh(a), w.re));
  w.im = Select(IsZero(z.im), z.im, w.im);
  Expr lost = IsInfinite(a) & Not(IsFinite(z.im));
  w.re = Select(lost, a, w.re);
  return w;
}

Complex Cosh(Complex z) {
  // cosh a cos b + i sinh a sin b.
  Expr a = z.re, c = Cos(z.im), s = Sin(z.im);
  Expr large = Cmp(Predicate::kGt, Abs(a), IsF64(a) ? 40.0 : 20.0);
  Expr half = Exp(Abs(a) * 0.5);
  Complex w{Select(large, HalfExpTimes(half, c), Cosh(a) * c),
            Select(large, HalfExpTimes(half, WithSign(a.c(1), a) * s), Sinh(a) * s)};
  Expr real = IsZero(z.im), imaginary = IsZero(a);
  w.re = Select(real, Cosh(a), w.re);
  // The zero's sign is that of the product.
  w.im = Select(real | imaginary,
                WithSign(Zero(a), Float(SignBit(a) ^ SignBit(Select(real, z.im, s)))), w.im);
  Expr lost = IsInfinite(a) & Not(IsFinite(z.im));
  w.re = Select(lost, Abs(a), w.re);
  return w;
}

Complex Tanh(Complex z) {
  // Kahan's form, in which nothing cancels.
  Expr a = Abs(z.re);
  const double last = IsF64(a) ? 22 : 10;
  Expr t = Tan(z.im), s = Sinh(AtMost(a, last));
  Expr beta = Fma(t, t, 1), rho = Sqrt(Fma(s, s, 1));
  Expr denominator = Fma(beta * s, s, 1);
  Complex near{beta * rho * s / denominator, t / denominator};
  // From there on 1, and 4 sin b cos b e^(-2a).
  Expr direction = Sin(z.im) * Cos(z.im);
  Expr one = Select(IsNan(direction), direction, a.c(1));
  Complex far{one, direction * 4.0 * Exp(a * -2.0)};
  far = Select(IsInfinite(a), Complex{a.c(1), WithSign(Zero(a), z.im)}, far);
  Complex w = Select(Cmp(Predicate::kGt, a, last), far, near);
  w.re = Select(IsZero(a), z.re, WithSign(w.re, z.re));
  w.im = Select(IsZero(z.im), z.im, w.im);
  return w;
}

Complex Sin(Complex z) { return OverI(Sinh(TimesI(z))); }
Complex Cos(Complex z) { return Cosh(TimesI(z)); }
Complex Tan(Complex z) { return OverI(Tanh(TimesI(z))); }

Complex Asin(Complex z) {
  InverseSine p = InverseSineOf(z);
  Expr re = WithSign(Atan2(Abs(z.re), p.d), z.re);
  return {Select(IsZero(z.re), z.re, re), WithSign(p.log, z.im)};
}

Complex Acos(Complex z) {
  InverseSine p = InverseSineOf(z);
  return {AngleOf(p, z.re), WithSign(p.log, -z.im)};
}

Complex Asinh(Complex z) { return OverI(Asin(TimesI(z))); }

Complex Acosh(Complex z) {
  InverseSine p = InverseSineOf(z);
  return {p.log, WithSign(AngleOf(p, z.re), z.im)};
}

Complex Atanh(Complex z) {
  Expr x = Abs(z.re), y = Abs(z.im);
  const double huge = Huge(x);
  Expr is_large = Cmp(Predicate::kGt, x, huge) | Cmp(Predicate::kGt, y, huge);
  Expr gap = x.c(1) - x, yy = y * y;
  Expr re = Log1p(x * 4.0 / Fma(gap, gap, yy)) * 0.25;
  // Above and below 1 the square of y may vanish.
  Expr at_one = Cmp(Predicate::kEq, x, 1) & Cmp(Predicate::kLt, y, 1);
  re = Select(at_one, Log(yy + 4.0) * 0.25 - Log(y) * 0.5, re);
  Expr im = Atan2(y + y, Fma(gap, x + 1.0, -yy)) * 0.5;
  // 1 / z, and a right angle.
  Expr big = Larger(x, y), small = Smaller(x, y);
  Expr ratio = small / big;
  Expr far = x / big / (big * Fma(ratio, ratio, 1));
  far = Select(IsInfinite(x) | IsInfinite(y), Zero(x), far);
  re = Select(is_large, far, re);
  Expr known = IsInfinite(y) | Not(IsNan(x) | IsNan(y));
  im = Select(is_large & known, y.c(kPi / 2), im);
  return {Select(IsZero(z.re), z.re, WithSign(re, z.re)), WithSign(im, z.im)};
}

Complex Atan(Complex z) { return OverI(Atanh(TimesI(z))); }

Complex Atan2(Complex y, Complex x) {
  Complex sum{x.re - y.im, x.im + y.re};
  Complex squares{(x.re - x.im) * (x.re + x.im) + (y.re - y.im) * (y.re + y.im),
                  (x.re * x.im + y.re * y.im) * 2.0};
  return OverI(Log(Divide(sum, Sqrt(squares))));
}

}  // namespace sinter::emit
