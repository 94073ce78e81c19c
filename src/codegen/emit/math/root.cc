#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// m^(1/3) from y near m^(-1/3): d = m y^2 rounds badly, but 1 - d y is exact enough to correct it.
Expr CbrtFromInverse(Expr m, Expr y) {
  Expr d = m * y * y;
  return Fma(d * Fma(-d, y, 1), d.c(2.0 / 3), d);
}

// For m > 0 the bits, which are nearly a logarithm, give m^(-1/3) within 6 %; a polynomial in m y^3
// near 1 mends that.
Expr CbrtF32(Expr m) {
  Expr guess = Fma(Bits(m).To(ElementType::F32), m.c(-1.0 / 3), 0x548e4000);
  Expr y = Float(guess.To(ElementType::S32, /*in_range=*/true));
  Expr c = m * y * (y * y);
  y = y * Horner(c, {0x1.de7a0ep-2, -0x1.30d4f2p+0, 0x1.bb188cp+0});
  return CbrtFromInverse(m, y);
}
Expr CbrtF64(Expr m) {
  // The same with the upper 44 bits, as the mantissa of a number from 2^52 on: AVX2 has no
  // conversions of 64-bit integers.
  Expr bits = m.As(ElementType::U64);
  Expr t = Float((bits >> bits.ci(20)) | bits.ci(int64_t{0x433} << 52));
  constexpr double kGuess = 0x1.54f1caaaaaaabp+42;
  Expr guess = Fma(t, t.c(-1.0 / 3), 0x1p52 + 0x1p52 / 3 + kGuess);
  Expr y = Float(Bits(guess) << Bits(guess).ci(20));
  Expr c = m * y * (y * y);
  y = y * Horner(c, {-0x1.ffa2b8p-2, 0x1.8f3c24p+0, -0x1.fc377ap+0, 0x1.ec51a2p+0});
  Expr yy = y * y;
  y = Fma(y * Fma(-(m * y), yy, 1), y.c(1.0 / 3), y);
  return CbrtFromInverse(m, y);
}

}  // namespace

Expr Cbrt(Expr x) {
  const bool wide = IsF64(x);
  Expr a = Abs(x);
  Expr tiny = Cmp(Predicate::kLt, a, wide ? 0x1p-1022 : 0x1p-126);
  Expr m = Select(tiny, a * (wide ? 0x1p54 : 0x1p24), a);
  Expr r = wide ? CbrtF64(m) : CbrtF32(m);
  r = r * Select(tiny, r.c(wide ? 0x1p-18 : 0x1p-8), r.c(1));
  return Select(Cmp(Predicate::kLt, a, kInf), CopySign(r, x), x);
}

Expr Rsqrt(Expr x) {
  // sqrt(1/x), whose error is below 0.86 ulp: the square root halves that of the division. As 1/x
  // may be denormal or infinite, a power of four takes the place of 1. -inf would give -0.
  const bool wide = IsF64(x);
  const double four = wide ? 0x1p54 : 0x1p24, two = wide ? 0x1p27 : 0x1p12;
  Expr small = Cmp(Predicate::kLt, x, 1);
  Expr q = Select(small, x.c(1 / four), x.c(four)) / AtLeast(x, -1);
  Expr r = Sqrt(q) * Select(small, x.c(two), x.c(1 / two));
  return Select(Cmp(Predicate::kEq, x, 0), q, r);
}

}  // namespace sinter::emit
