#include "codegen/emit/math/internal.h"

namespace sinter::emit {

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
