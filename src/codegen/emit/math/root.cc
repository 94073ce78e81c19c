#include "codegen/emit/math/internal.h"

namespace sinter::emit {
Expr Rsqrt(Expr x) {
  // 1/x may be denormal or overflow: divide a power of four that keeps the quotient normal.
  const bool wide = IsF64(x);
  const double in = wide ? 0x1p54 : 0x1p24, out = wide ? 0x1p-27 : 0x1p-12;
  Expr small = Cmp(Predicate::kLt, x, 1);
  Expr q = Select(small, x.c(1 / in), x.c(in)) / AtLeast(x, -1);
  Expr r = Sqrt(q) * Select(small, x.c(1 / out), x.c(out));
  return Select(Cmp(Predicate::kEq, x, 0), q, r);
}
}  // namespace sinter::emit
