#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// log(1 + f) + sign * n ln 2, f in [-1/4, 1/2], n integral; for f = n = 0 it is f if sign is -1,
// and 0. Within 1 ulp: the sum of the terms but the largest is rounded to less than 1/4 ulp of the
// result unless the last addition is exact.
Expr LogSumF32(Expr f, Expr n, double unit) {  // n in units of `unit`
  Expr p = Horner(f, {-0x1.79ce48p-5, 0x1.b10e0ap-4, -0x1.0df522p-3, 0x1.284d9cp-3, -0x1.54e094p-3,
                      0x1.996b1cp-3, -0x1.000074p-2, 0x1.5555a2p-2, -0.5});
  Expr rest = f + Fma(n, f.c(unit * 0x1.7f7d1cp-20), f * f * p);
  return Fma(n, f.c(unit * 0x1.62e4p-1), rest);
}
// With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))); the form of
// fdlibm's log.
Expr LogSumF64(Expr f, Expr n, double unit) {
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr p = Horner(
      z, {0x1.1b85c6f92de96p-3, 0x1.0dcaf8a7c1185p-3, 0x1.3b35c9fac0649p-3, 0x1.745c4a95a3553p-3,
          0x1.c71c7490db555p-3, 0x1.24924921e32e6p-2, 0x1.999999999c187p-2, 0x1.555555555554fp-1});
  Expr half = f * 0.5 * f;
  Expr t = Fma(s, Fma(z, p, half), n * (unit * 0x1.a39ef35793c76p-33));
  return Fma(n, f.c(unit * 0x1.62e42feep-1), f - (half - t));
}

// Positive floats are split into m 2^k, m in [3/4, 3/2).
constexpr int64_t kThreeQuarters32 = 0x3f400000, kField32 = -0x800000;
constexpr int64_t kThreeQuarters64 = int64_t{0x3fe8} << 48, kBias64 = int64_t{1023} << 52;
constexpr int64_t kField64 = int64_t{0x7ff} << 52, kMantissa64 = (int64_t{1} << 52) - 1;
// 2^52 + 1023 + k for bits with k + 1023 in the exponent's place: AVX2 has no conversion from
// 64-bit integers.
Expr Biased(Expr field) {
  Expr bits = field.As(ElementType::U64);
  return Float((bits >> bits.ci(52)) | bits.ci(int64_t{0x433} << 52));
}
constexpr double kBiased = 0x1p52 + 1023;

// Zero and negative x, +inf and NaN, of the logarithm of x + shift.
Expr LogSpecial(Expr x, double shift, Expr r) {
  r = Select(Cmp(Predicate::kLt, x, kInf), r, x);
  Expr pole = Select(Cmp(Predicate::kEq, x, -shift), x.c(-kInf), x.c(kNaN));
  return Select(Cmp(Predicate::kGt, x, -shift), r, pole);
}

Expr LogF32(Expr x) {
  Expr tiny = Cmp(Predicate::kLt, x, 0x1p-126);
  Expr bits = Bits(Select(tiny, x * 0x1p25, x));
  Expr e = (bits - bits.ci(kThreeQuarters32)) & bits.ci(kField32);
  Expr f = Float(bits - e) - 1.0;
  Expr n = e.To(ElementType::F32);
  n = Select(tiny, n - 25 * 0x1p23, n);
  return LogSpecial(x, 0, LogSumF32(f, n, 0x1p-23));
}

Expr LogF64(Expr x) {
  Expr tiny = Cmp(Predicate::kLt, x, 0x1p-1022);
  Expr bits = Bits(Select(tiny, x * 0x1p54, x));
  Expr field = bits + bits.ci(kBias64 - kThreeQuarters64);
  Expr f = Float((field & bits.ci(kMantissa64)) + bits.ci(kThreeQuarters64)) - 1.0;
  Expr n = Biased(field) - kBiased;
  n = Select(tiny, n - 54.0, n);
  return LogSpecial(x, 0, LogSumF64(f, n, 1));
}

// 1 + x is (1 + f) 2^k with f = x 2^-k + (2^-k - 1), which is exact or nearly; rounding 1 + x only
// chooses k. It is used negated, so that the products with zero do not take the sign of log1p(-0).
Expr Log1pF32(Expr x) {
  Expr bits = Bits(x + 1.0);
  Expr e = (bits.ci(kThreeQuarters32 + 0x7fffff) - bits) & bits.ci(kField32);
  Expr scale = Float(bits.ci(0x40800000) + e);  // 4 * 2^-k: 2^-128 is denormal
  Expr f = Float(Bits(x) + e) - Fma(scale, x.c(-0.25), 1);
  return LogSpecial(x, 1, LogSumF32(f, e.To(ElementType::F32), -0x1p-23));
}

Expr Log1pF64(Expr x) {
  Expr bits = Bits(x + 1.0);
  Expr field = bits + bits.ci(kBias64 - kThreeQuarters64);
  Expr e = bits.ci(kBias64) - (field & bits.ci(kField64));
  Expr scale = Float(e + bits.ci(int64_t{0x401} << 52));
  Expr f = Float(Bits(x) + e) - Fma(scale, x.c(-0.25), 1);
  return LogSpecial(x, 1, LogSumF64(f, x.c(kBiased) - Biased(field), -1));
}

}  // namespace

Expr Log(Expr x) { return IsF64(x) ? LogF64(x) : LogF32(x); }
Expr Log1p(Expr x) { return IsF64(x) ? Log1pF64(x) : Log1pF32(x); }

}  // namespace sinter::emit
