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

}  // namespace

Expr Pow(Expr x, Expr y) {
  const bool wide = IsF64(x);
  Expr a = Abs(x);
  Expr r = wide ? PowerF64(a, y) : PowerF32(a, y);
  r = Select(Cmp(Predicate::kEq, a, 1), r.c(1), r);  // also to the power of infinity and NaN
  // Of negative x only integral powers are real.
  Expr integral = Cmp(Predicate::kEq, RoundEven(y), y);
  Expr half = y * 0.5;
  Expr odd = integral & Cmp(Predicate::kNe, RoundEven(half), half);
  Expr bits = Bits(a);
  const int64_t inf = wide ? int64_t{0x7ff} << 52 : int64_t{0xff} << 23;
  const ElementType word = wide ? ElementType::U64 : ElementType::U32;
  Expr below = (bits - bits.ci(1)).As(word);
  Expr ordinary = Cmp(Predicate::kLt, below, below.ci(inf - 1));  // neither 0, infinite nor NaN
  r = Select(integral | Cmp(Predicate::kGt, x, 0), r, r.c(kNaN));
  // 0 and inf to a power are themselves or, as inf - bits, each other; NaN is itself either way.
  Expr swapped = Float(bits.ci(inf) - bits);
  Expr special =
      Select(Cmp(Predicate::kLt, y, 0), swapped, Select(Cmp(Predicate::kGt, y, 0), a, y));
  r = Select(ordinary, r, special);
  r = Float(Bits(r) ^ Select(odd, SignBit(x), bits.ci(0)));
  return Select(Cmp(Predicate::kEq, y, 0), r.c(1), r);
}

}  // namespace sinter::emit
