#include "codegen/emit/math/internal.h"

namespace sinter::emit {

Expr Atan2(Expr y, Expr x) {
  const bool wide = IsF64(x);
  // The angle to the nearer axis: atan t, t in [0, 1]. A NaN among the operands stays in num or
  // den.
  Expr ay = Abs(y), ax = Abs(x);
  Expr steep = Cmp(Predicate::kGt, ay, ax);
  Expr num = Select(steep, ax, ay), den = Select(steep, ay, ax);
  // inf/inf is 1, 0/0 is 0: also of denormal numbers, where the processor takes those for zeros.
  Expr t = Select(Cmp(Predicate::kEq, num, den), x.c(1), num / den);
  t = Select(IsZero(den), num, t);
  Expr z = t * t;
  Expr p = wide ? Horner(z, {-0x1.53e7a9e3b967fp-16, 0x1.d3bd4910ef95ep-13, -0x1.312b734b2ce17p-10,
                             0x1.f96e5ec8db38ep-9, -0x1.2cf82347e4c26p-7, 0x1.162cb457a995fp-6,
                             -0x1.a7271b6c906f5p-6, 0x1.1716049e48feap-5, -0x1.4f4538e2274f8p-5,
                             0x1.7ee3fff415ff3p-5, -0x1.ad32bd716e6b9p-5, 0x1.e17817f6da22bp-5,
                             -0x1.11089d13e70dap-4, 0x1.3b12b2eb06856p-4, -0x1.745d02313407ap-4,
                             0x1.c71c709e1c808p-4, -0x1.2492491fa21d3p-3, 0x1.9999999984112p-3,
                             -0x1.555555555544cp-2})
                : Horner(z, {0x1.7ea694p-9, -0x1.0c17d4p-6, 0x1.61eeb0p-5, -0x1.3550dap-4,
                             0x1.b4deb0p-4, -0x1.230a94p-3, 0x1.9978ecp-3, -0x1.5554dcp-2});
  Expr a = Fma(z * t, p, t);
  a = Select(steep, a.c(0x1.921fb54442d18p+0) - a, a);
  Expr bits = Bits(x);
  a = Select(Cmp(Predicate::kLt, bits, bits.ci(0)), a.c(0x1.921fb54442d18p+1) - a, a);
  return CopySign(a, y);
}

Expr Atan(Expr x) { return Atan2(x, x.c(1)); }

Expr Asin(Expr x) { return Atan2(x, Sqrt((x.c(1) - x) * (x + 1.0))); }

Expr Acos(Expr x) { return Atan2(Sqrt((x.c(1) - x) * (x + 1.0)), x); }

}  // namespace sinter::emit
