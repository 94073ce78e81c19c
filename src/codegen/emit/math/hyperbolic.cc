#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// Above it x^2 + 1 is x^2, and log(1 + x) is log(x).
double Large(Expr x) { return IsF64(x) ? 0x1p60 : 0x1p30; }

}  // namespace

Expr Sinh(Expr x) {
  Expr a = Abs(x), y = a * a;
  // Small: x + x^3 p(x^2).
  Expr p = IsF64(x)
               ? Horner(y, {0x1.d29e50b6b9958p-48, 0x1.a6655550af0a5p-41, 0x1.61314d438290dp-33,
                            0x1.ae644122ba5b9p-26, 0x1.71de3a68d0153p-19, 0x1.a01a01a00735cp-13,
                            0x1.111111111119bp-7, 0x1.5555555555555p-3})
               : Horner(y, {0x1.756c1e0000000p-19, 0x1.a022bc0000000p-13, 0x1.1110e00000000p-7,
                            0x1.5555560000000p-3});
  Expr small = Fma(a * y, p, a);
  Expr half = HalfExp(a);
  Expr large = half - a.c(0.25) / half;
  return CopySign(Select(Cmp(Predicate::kLt, a, 1), small, large), x);
}

Expr Cosh(Expr x) {
  Expr half = HalfExp(Abs(x));
  return half + x.c(0.25) / half;
}

Expr Asinh(Expr x) {
  // log(a + sqrt(a^2 + 1)), near 0 without cancellation.
  Expr a = Abs(x), y = a * a;
  Expr large = Cmp(Predicate::kGe, a, Large(x));
  Expr log = Log1p(Select(large, a, a + y / (Sqrt(y + 1.0) + 1.0)));
  return CopySign(Select(large, log + kLn2, log), x);
}

Expr Acosh(Expr x) {
  // log(x + sqrt(x^2 - 1)), near 1 without cancellation.
  Expr y = x - 1.0;
  Expr large = Cmp(Predicate::kGe, x, Large(x));
  Expr log = Log1p(Select(large, x, y + Sqrt(y * (y + 2.0))));
  log = Select(large, log + kLn2, log);
  return Select(Cmp(Predicate::kLt, x, 1), x.c(kNaN), log);
}

Expr Atanh(Expr x) {
  Expr a = Abs(x);
  return CopySign(Log1p((a + a) / (a.c(1) - a)) * 0.5, x);
}

Expr Tanh(Expr x) {
  const bool wide = IsF64(x);
  Expr a = AtMost(Abs(x), wide ? 19.1 : 9.02f);  // 1 from there on
  // N = expm1(2 a) / 2 = 2^n h + (2^n - 1) / 2, h = expm1(2 r) / 2. The reduction takes r from
  // [-0.087, 0.26] and not from a symmetric range, so that N does not cancel where n is 1.
  Rounded n = Round(Fma(a, a.c(wide ? 0x1.71547652b82fep+1 : 0x1.715476p+1), -0.25));
  Expr r = Fma(n.value, a.c(wide ? -0x1.62e42fefa39efp-2 : -0x1.62e430p-2), a);
  r = Fma(n.value, a.c(wide ? -0x1.abc9e3b39803fp-57 : 0x1.05c610p-30), r);
  Expr p = wide ? Horner(r, {0x1.f8560be8f95fep-16, 0x1.24a8893034d26p-13, 0x1.71f89b735110ep-11,
                             0x1.a01a3aad52cbcp-9, 0x1.a019fa3b08be5p-7, 0x1.6c16c17e5a45cp-5,
                             0x1.11111111a190cp-3, 0x1.5555555551ab5p-2, 0x1.5555555555477p-1,
                             0x1.0000000000004p+0})
                : Horner(r, {0x1.8b28ecp-7, 0x1.7430aap-5, 0x1.10bca2p-3, 0x1.555470p-2,
                             0x1.555580p-1, 1});
  Expr h = Fma(r * r, p, r);
  Expr s = PowerOfTwo(n);
  Expr num = Fma(s, h, Fma(s, s.c(0.5), -0.5));
  // N / (N + 1), as N - N q with q = N / (N + 1) or as 1 - 1 / (N + 1): the quotient is the smaller
  // part.
  Expr w = Select(Cmp(Predicate::kLt, num, 1), num, num.c(1));
  return CopySign(Fma(-(w / (num + 1.0)), w, w), x);
}

}  // namespace sinter::emit
