#include "codegen/emit/math/reduce.h"

namespace sinter::emit {
namespace {

// The sine of r + q quarter turns. That of -0 is to be -0: adding +0 to the small term of the sine
// makes its zeros positive, and subtracting them leaves -0.
Expr SinOf(const Reduced& a) {
  Expr r = a.r, y = r * r;
  const bool wide = IsF64(r);
  Expr p = wide ? Horner(y, {-0x1.5d8b55d98523dp-33, 0x1.ae5e4b848f900p-26, -0x1.71de35552bd88p-19,
                             0x1.a01a019be921bp-13, -0x1.111111110f730p-7, 0x1.5555555555548p-3})
                : Horner(y, {0x1.991c26p-13, -0x1.1106c6p-7, 0x1.555544p-3});
  Expr sin = r - Fma(y * r, p, 0.0);
  Expr cos = wide ? Horner(y, {-0x1.8fa6719e34cebp-37, 0x1.1ee9dbaeab665p-29,
                               -0x1.27e4f7f1693c2p-22, 0x1.a01a019c8efaep-16,
                               -0x1.6c16c16c15014p-10, 0x1.555555555554bp-5, -0.5, 1})
                  : Horner(y, {0x1.99e330p-16, -0x1.6c0c1ep-10, 0x1.55554ap-5, -0.5, 1});
  Expr odd = Cmp(Predicate::kNe, a.q & a.q.ci(1), a.q.ci(0));
  Expr sign = (a.q << a.q.ci(wide ? 62 : 30)) & a.q.ci(wide ? INT64_MIN : INT32_MIN);
  return Float(Bits(Select(odd, cos, sin)) ^ sign);
}

}  // namespace

Expr Sin(Expr x) { return SinOf(Reduce(x, 0, false)); }
Expr Cos(Expr x) { return SinOf(Reduce(x, 1, false)); }

Expr Tan(Expr x) {
  auto [r, q, rest] = Reduce(x, 0, true);
  Expr y = r * r;
  // tan r = r - r^3 p; the part of the angle below r joins the small term. The signs are such that
  // -0 stays.
  Expr p = IsF64(x)
               ? Horner(y, {-0x1.5dddb70f88464p-16, 0x1.781cafb608d71p-15, -0x1.76dee474765bap-14,
                            0x1.b944efc49d37ap-16, -0x1.1e2fad6fd2754p-13, -0x1.d26db208aa2e9p-13,
                            -0x1.37facacb8217ep-11, -0x1.7d5b55853d54bp-10, -0x1.d6d9343e4088bp-9,
                            -0x1.226e125746755p-7, -0x1.664f49a882ee7p-6, -0x1.ba1ba1b46b2d1p-5,
                            -0x1.11111111182d4p-3, -0x1.55555555554f2p-2})
               : Horner(y, {-0x1.2498ccp-8, 0x1.6dad2cp-14, -0x1.679228p-7, -0x1.5bd4e0p-6,
                            -0x1.baf0bep-5, -0x1.110d1ap-3, -0x1.555562p-2});
  Expr t = r - Fma(y * r, p, rest);
  Expr odd = Cmp(Predicate::kNe, q & q.ci(1), q.ci(0));
  return Select(odd, t.c(-1), t) / Select(odd, t, t.c(1));
}

}  // namespace sinter::emit
