#include "codegen/emit/math/complex.h"
#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// a^y for positive finite a, F32: in F64, by polynomials for log2 and exp2 that are good to 2^-33
// and 2^-29. Results beyond F32 overflow, and denormal ones are rounded, when it is converted.
Expr PowerF32(Expr a, Expr y) {
  Expr tiny = Cmp(Predicate::kLt, a, 0x1p-126);
  Expr bits = Bits(Select(tiny, a * 0x1p25, a));
  Expr e = (bits - bits.ci(0x3f3504f3)) & bits.ci(-0x800000);
  Expr k = e.To(ElementType::F32) * 0x1p-23;
  k = Select(tiny, k - 25.0, k);
  Expr f = (Float(bits - e) - 1.0).To(ElementType::F64);
  Expr p = Horner(f, {-0x1.61acbf8e4afbfp-4, 0x1.3d261c479bf66p-3, -0x1.417fe7258fadbp-3,
                      0x1.45a28b3953e32p-3, -0x1.6eb02ab752f70p-3, 0x1.a615cbdccf2a4p-3,
                      -0x1.ec8d73d931786p-3, 0x1.277732cc2c3f2p-2, -0x1.715435ebbb94cp-2,
                      0x1.ec709c00f9ad6p-2, -0x1.7154767bae377p-1, 0x1.71547652ef932p+0});
  Expr log = Fma(f, p, k.To(ElementType::F64));
  Expr t = AtLeast(AtMost(log * y.To(ElementType::F64), 200), -200);
  Rounded n = Round(t);
  Expr r = Horner(t - n.value, {0x1.41d33e58f4e76p-13, 0x1.5f456f3cc6cc2p-10, 0x1.3b2dbbbe1c510p-7,
                                0x1.c6aed4b00f7d8p-5, 0x1.ebfbdadca0b62p-3, 0x1.62e430c7ef5d0p-1,
                                0x1.0000000261526p+0});
  return (r * PowerOfTwo(n)).To(ElementType::F32);
}

// A sum that is not evaluated, |lo| at most half an ulp of hi.
struct Sum {
  Expr hi, lo;
};

// log2 of a positive finite number, relative error about 2^-64: F64 for operands up to 2^10 needs
// 2^-63.
Sum Log2F64(Expr a) {
  Expr tiny = Cmp(Predicate::kLt, a, 0x1p-1022);
  Expr bits = Bits(Select(tiny, a * 0x1p54, a));
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Expr field = bits + bits.ci((int64_t{1023} << 52) - kSqrtHalf);
  Expr m = Float((field & bits.ci((int64_t{1} << 52) - 1)) + bits.ci(kSqrtHalf));
  Expr shifted = field.As(ElementType::U64);
  Expr n = Float((shifted >> shifted.ci(52)) | shifted.ci(int64_t{0x433} << 52)) - (0x1p52 + 1023);
  n = Select(tiny, n - 54.0, n);
  // log2(m) = C atanh(s), C = 2 / ln 2, s + rest = f / (2 + f).
  Expr f = m - 1.0;
  Expr inverse = m.c(1) / (m + 1.0);
  Expr s = f * inverse;
  Expr rest = Fma(-s, f, Fma(s, s.c(-2), f)) * inverse;
  Expr z = s * s;
  Expr z_lo = Fma(s + s, rest, Fma(s, s, -z));
  // atanh(s) / s - 1 = z / 3 + z^2 q, the first term in twice the precision.
  Expr q = Horner(
      z, {0x1.0e42d00278c9ap-4, 0x1.0f7fe66f393bbp-4, 0x1.3b1eec25c8edap-4, 0x1.745ce9e2f758ap-4,
          0x1.c71c722d66ea1p-4, 0x1.2492492457d5ep-3, 0x1.9999999999b30p-3});
  constexpr double kThird = 0x1.5555555555555p-2, kThirdLo = 0x1.5555555555555p-56;
  Expr w = z * kThird;
  Expr w_lo = Fma(z, z.c(kThirdLo), Fma(z, z.c(kThird), -w));
  w_lo = Fma(z * z, q, Fma(z_lo, z.c(kThird), w_lo));
  constexpr double kC = 0x1.71547652b82fep+1, kCLo = 0x1.777d0ffda0d24p-55;
  Expr cs = s * kC;
  Expr cs_lo = Fma(rest, s.c(kC), Fma(s, s.c(kCLo), Fma(s, s.c(kC), -cs)));
  Expr t = cs * w;
  Expr lo = Fma(cs_lo, w, Fma(cs, w_lo, Fma(cs, w, -t))) + cs_lo;
  // n + cs + t + lo, by falling magnitude (n is 0 or at least 1).
  Expr sum = n + cs;
  lo = lo + (cs - (sum - n));
  Expr sum2 = sum + t;
  lo = lo + (t - (sum2 - sum));
  Expr hi = sum2 + lo;
  return {hi, lo - (hi - sum2)};
}

Expr PowerF64(Expr a, Expr y0) {
  auto [hi, lo] = Log2F64(a);
  // No result depends on exponents beyond: |log2 a| is 0 or above 2^-54. Infinite ones would give
  // inf - inf below.
  Expr y = AtLeast(AtMost(y0, 0x1p80), -0x1p80);
  Expr t = y * hi;
  Expr rest = Fma(y, lo, Fma(y, hi, -t));
  t = AtLeast(AtMost(t, 1100), -1100);
  rest = AtLeast(AtMost(rest, 1), -1);  // smaller unless t is out of range
  Rounded n = Round(t);
  Expr f = (t - n.value) + rest;
  Expr r = Horner(f, {0x1.f0e7d696a310dp-32, 0x1.e63ba9458cefdp-28, 0x1.b52082d1156e9p-24,
                      0x1.62bfb49204831p-20, 0x1.ffcbfe666715ep-17, 0x1.4309131682a5ep-13,
                      0x1.5d87fe784580ap-10, 0x1.3b2ab6fb9daacp-7, 0x1.c6b08d704a26fp-5,
                      0x1.ebfbdff82c5b3p-3, 0x1.62e42fefa39efp-1, 1});
  return Ldexp(r, Exponent(n));
}

// --- sums that are not evaluated, for powers of complex numbers

Sum ExactSum(Expr a, Expr b) {
  Expr hi = a + b, of_b = hi - a;
  return {hi, (a - (hi - of_b)) + (b - of_b)};
}
Sum ExactProduct(Expr a, Expr b) {
  Expr hi = a * b;
  return {hi, Fma(a, b, -hi)};
}
Sum operator+(Sum x, Sum y) {
  Sum s = ExactSum(x.hi, y.hi);
  return ExactSum(s.hi, s.lo + (x.lo + y.lo));
}
Sum operator-(Sum x) { return {-x.hi, -x.lo}; }
Sum operator*(Sum x, Expr y) {
  Sum p = ExactProduct(x.hi, y);
  return {p.hi, Fma(x.lo, y, p.lo)};
}
Sum operator*(Sum x, Sum y) {
  Sum p = ExactProduct(x.hi, y.hi);
  return {p.hi, Fma(x.hi, y.lo, Fma(x.lo, y.hi, p.lo))};
}
Sum operator/(Sum x, Sum y) {
  Expr q = x.hi / y.hi;
  return {q, (Fma(-q, y.hi, x.hi) + (x.lo - q * y.lo)) / y.hi};
}
Sum Select(Expr mask, Sum x, Sum y) {
  return {kernel::Select(mask, x.hi, y.hi), kernel::Select(mask, x.lo, y.lo)};
}
Sum Constant(Expr like, double hi, double lo) { return {like.c(hi), like.c(lo)}; }

// log |z| and the angle of z, F64 and neither 0 nor infinite, with relative errors of about 2^-63
// (of the angle relative to the smaller part's, but no better than that of the modulus).
struct Polar {
  Sum log, angle;
};
Polar PolarOf(Complex z) {
  Expr a = Abs(z.re), b = Abs(z.im);
  Expr steep = Cmp(Predicate::kGt, b, a);
  Expr big = Select(steep, b, a), small = Select(steep, a, b);
  // Such that squares neither overflow nor vanish.
  Expr up = Cmp(Predicate::kLt, big, 0x1p-500), down = Cmp(Predicate::kGt, big, 0x1p500);
  Expr factor = Select(up, a.c(0x1p600), Select(down, a.c(0x1p-600), a.c(1)));
  big = big * factor;
  small = small * factor;
  Sum square = ExactProduct(big, big) + ExactProduct(small, small);
  Sum log2 = Log2F64(square.hi);
  log2 = ExactSum(log2.hi, Fma(square.lo / square.hi, a.c(0x1.71547652b82fep+0), log2.lo));
  Sum half{log2.hi * 0.5, log2.lo * 0.5};
  Expr exponent = Select(up, a.c(-600), Select(down, a.c(600), a.c(0)));
  Sum log = (ExactSum(exponent, half.hi) + Sum{half.lo, a.c(0)}) *
            Constant(a, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);

  // The angle of (big, small) is that of a fraction near theirs, 0, 1/3 or 3/4, and of the rest
  // t, |t| < 0.17.
  Expr ratio = small / big;
  Expr flat = Cmp(Predicate::kLt, ratio, 0.16), middle = Cmp(Predicate::kLt, ratio, 0.52);
  Expr rise = Select(flat, a.c(0), Select(middle, a.c(1), a.c(3)));
  Expr run = Select(flat, a.c(1), Select(middle, a.c(3), a.c(4)));
  Sum known = Select(flat, Constant(a, 0, 0),
                     Select(middle, Constant(a, 0x1.4978fa3269ee1p-2, 0x1.2419a87f2a458p-57),
                            Constant(a, 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56)));
  Sum t = (ExactProduct(run, small) + -ExactProduct(rise, big)) /
          (ExactProduct(run, big) + ExactProduct(rise, small));
  // atan(t) / t - 1 = -z / 3 + z^2 q, the first term in twice the precision; q is Taylor's.
  Expr s = t.hi * t.hi;
  Expr s_lo = Fma(t.hi + t.hi, t.lo, Fma(t.hi, t.hi, -s));
  Expr q = Horner(s, {-1.0 / 23, 1.0 / 21, -1.0 / 19, 1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11,
                      1.0 / 9, -1.0 / 7, 1.0 / 5});
  Sum w = Sum{s, s_lo} * Constant(a, -0x1.5555555555555p-2, -0x1.5555555555555p-56);
  w.lo = Fma(s * s, q, w.lo);
  Sum angle = known + (t + t * w);
  const double pi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;
  angle = Select(steep, Constant(a, pi / 2, pi_lo / 2) + -angle, angle);
  angle = Select(Cmp(Predicate::kLt, z.re, 0), Constant(a, pi, pi_lo) + -angle, angle);
  return {log, Select(Cmp(Predicate::kLt, z.im, 0), -angle, angle)};
}

}  // namespace

Complex Pow(Complex x, Complex y) {
  Complex log = Log(x);
  // What the products round to without the sums, where those are of infinities.
  Complex power{Fma(y.re, log.re, -(y.im * log.im)), Fma(y.re, log.im, y.im * log.re)};
  Complex lost{x.re.c(0), x.re.c(0)};
  if (IsF64(x.re)) {
    Polar polar = PolarOf(x);
    Sum re = polar.log * y.re + -(polar.angle * y.im);
    Sum im = polar.angle * y.re + polar.log * y.im;
    Expr sound = IsFinite(re.hi + re.lo) & IsFinite(im.hi + im.lo) & IsFinite(log.re);
    // Zeros keep their signs, which sums do not.
    Expr sound_im = sound & Cmp(Predicate::kNe, im.hi, 0);
    Expr zero_im = Select(sound, power.im * 0.0, power.im);
    power = {Select(sound, re.hi, power.re), Select(sound_im, im.hi, zero_im)};
    lost = {Select(sound, re.lo, lost.re), Select(sound_im, im.lo, lost.im)};
  }
  Complex w = Exp(power);
  if (IsF64(x.re)) {
    // e^lost - 1 is as good as its first terms.
    Expr half = lost.im * 0.5;
    Complex more{Fma(-half, lost.im, lost.re), Fma(half * lost.im, lost.im * (-1.0 / 3), lost.im)};
    Expr finite = IsFinite(w.re) & IsFinite(w.im);
    w = {Select(finite, Fma(w.re, more.re, Fma(-w.im, more.im, w.re)), w.re),
         Select(finite, Fma(w.im, more.re, Fma(w.re, more.im, w.im)), w.im)};
  }
  Complex zero{x.re.c(0), x.re.c(0)}, one{x.re.c(1), x.re.c(0)};
  Expr vanishes = IsZero(x.re) & IsZero(x.im) & Cmp(Predicate::kGt, y.re, 0);
  w = {Select(vanishes, zero.re, w.re), Select(vanishes, zero.im, w.im)};
  // As XLA: 1 for y = 0 and for x = 1, 0 for x = 0 where y has a positive real part, and for x =
  // +inf and a real y +inf or 0 by its sign.
  Expr of_infinity = Cmp(Predicate::kEq, x.re, kInf) & IsZero(x.im) & IsZero(y.im);
  Expr grows = of_infinity & Cmp(Predicate::kGt, y.re, 0);
  Expr shrinks = of_infinity & Cmp(Predicate::kLt, y.re, 0);
  w = {Select(grows, x.re, Select(shrinks, zero.re, w.re)), Select(grows | shrinks, zero.im, w.im)};
  Expr is_one = (IsZero(y.re) & IsZero(y.im)) | (Cmp(Predicate::kEq, x.re, 1) & IsZero(x.im));
  return {Select(is_one, one.re, w.re), Select(is_one, one.im, w.im)};
}

Expr Pow(Expr x, Expr y) {
  const bool wide = IsF64(x);
  Expr a = Abs(x);
  Expr r = wide ? PowerF64(a, y) : PowerF32(a, y);
  r = Select(Cmp(Predicate::kEq, a, 1), r.c(1), r);  // also to the power of infinity and NaN
  // Of negative x only integral powers are real.
  Expr integral = Cmp(Predicate::kEq, RoundEven(y), y);
  Expr half = y * 0.5;
  Expr odd = integral & Cmp(Predicate::kNe, RoundEven(half), half);
  // Where denormals are flushed, comparisons take them for zeros; their bits must say so too.
  Expr bits = Select(IsZero(a), Bits(a).ci(0), Bits(a));
  const int64_t inf = wide ? int64_t{0x7ff} << 52 : int64_t{0xff} << 23;
  const ElementType word = wide ? ElementType::U64 : ElementType::U32;
  Expr below = (bits - bits.ci(1)).As(word);
  Expr ordinary = Cmp(Predicate::kLt, below, below.ci(inf - 1));  // neither 0, infinite nor NaN
  r = Select(integral | Cmp(Predicate::kGt, x, 0), r, r.c(kNaN));
  // 0 and inf to a power are themselves or, as inf - bits, each other; NaN is itself either way.
  Expr swapped = Float(bits.ci(inf) - bits);
  Expr special =
      Select(Cmp(Predicate::kLt, y, 0), swapped, Select(Cmp(Predicate::kGt, y, 0), Float(bits), y));
  r = Select(ordinary, r, special);
  r = Float(Bits(r) ^ Select(odd, SignBit(x), bits.ci(0)));
  return Select(Cmp(Predicate::kEq, y, 0), r.c(1), r);
}

}  // namespace sinter::emit
