#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// x = n ln 2 + r with |r| <= ln(2) / 2; ln 2 in two parts of full length, since r before the second
// is exact.
struct Split {
  Rounded n;
  Expr r;
};
Split SplitF32(Expr x) {
  Rounded n = RoundProduct(x, 0x1.715476p+0);
  Expr r = Fma(n.value, x.c(-0x1.62e430p-1), x);
  return {n, Fma(n.value, x.c(0x1.05c610p-29), r)};
}
Split SplitF64(Expr x) {
  Rounded n = RoundProduct(x, 0x1.71547652b82fep+0);
  Expr r = Fma(n.value, x.c(-0x1.62e42fefa39efp-1), x);
  return {n, Fma(n.value, x.c(-0x1.abc9e3b39803fp-56), r)};
}

Expr Scale(Expr p, Rounded n, int64_t halvings) {
  Expr exponent = Exponent(n);
  return Ldexp(p, halvings == 0 ? exponent : exponent - n.bits.ci(halvings), /*in_range=*/true);
}

// exp(x) 2^-halvings for x between the bounds of Exp.
Expr ExpCore(Expr x, int64_t halvings = 0) {
  if (!IsF64(x)) {
    auto [n, r] = SplitF32(x);
    Expr p = Horner(
        r, {0x1.6ac74ep-10, 0x1.123de0p-7, 0x1.555858p-5, 0x1.55548cp-3, 0x1.fffffcp-2, 1, 1});
    return Scale(p, n, halvings);
  }
  auto [n, r] = SplitF64(x);
  Expr p = Horner(
      r, {0x1.add89267f5272p-26, 0x1.28aedc88de60dp-22, 0x1.71def3d547b07p-19,
          0x1.a019988b837bfp-16, 0x1.a01a013d5e808p-13, 0x1.6c16c184b5bd3p-10, 0x1.1111111124d2bp-7,
          0x1.5555555550605p-5, 0x1.5555555555503p-3, 0x1.000000000000ap-1, 1, 1});
  return Scale(p, n, halvings);
}
// Below it exp is 0, for F32 and F64.
double LowBound(Expr x) { return IsF64(x) ? -746 : -104; }
// Above it exp is infinite.
double HighBound(Expr x) { return IsF64(x) ? 710 : 89; }

// exp(x) for x below HighBound.
Expr ExpOrZero(Expr x) { return ExpCore(AtLeast(x, LowBound(x))); }

}  // namespace

Expr Exp(Expr x) { return ExpOrZero(AtMost(x, HighBound(x))); }

Expr HalfExp(Expr a) {
  // The bounds: half the power is infinite there.
  return ExpCore(AtMost(a, IsF64(a) ? 710.5 : 89.5), 1);
}

Expr Expm1(Expr x) {
  const bool wide = IsF64(x);
  Expr a = AtLeast(AtMost(x, HighBound(x)), wide ? -38 : -18);
  auto [n, r] = wide ? SplitF64(a) : SplitF32(a);
  Expr p =
      wide
          ? Horner(r, {0x1.1ff2489939c32p-29, 0x1.af8b9ba8b198bp-26, 0x1.27e4cec750175p-22,
                       0x1.71ddeebaf6ac8p-19, 0x1.a01a019e70a80p-16, 0x1.a01a01af9baaep-13,
                       0x1.6c16c16c167c5p-10, 0x1.111111110f70ap-7, 0x1.5555555555559p-5,
                       0x1.5555555555559p-3, 0.5})
          : Horner(r, {0x1.6ab8dep-10, 0x1.122c5ep-7, 0x1.55579cp-5, 0x1.5554aap-3, 0x1.fffffep-2});
  Expr y = r * r;
  p = Fma(p, y, r);
  // 2^n (p + 1) - 1, halved until the end since 2^n may be too large.
  Expr s = PowerOfTwo(n, -1);
  Expr half = Fma(s, p, s - 0.5);
  // Denormals would be rounded when halved, and -0 would be lost.
  return Select(Cmp(Predicate::kEq, y, 0), x, half + half);
}

Expr Logistic(Expr x) {
  Expr e = ExpOrZero(-Abs(x));
  // With q = e / (1 + e): 1 - q, or for negative x e (1 - q); closer than a quotient of rounded
  // terms.
  Expr w = Select(Cmp(Predicate::kLt, x, 0), e, x.c(1));
  return Fma(-(e / (e + 1.0)), w, w);
}

}  // namespace sinter::emit
