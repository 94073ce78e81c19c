#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

Expr LogSumF32(Expr f, Expr n) {
  Expr p = Horner(f, {-0x1.79ce48p-5, 0x1.b10e0ap-4, -0x1.0df522p-3, 0x1.284d9cp-3, -0x1.54e094p-3, 0x1.996b1cp-3,
                      -0x1.000074p-2, 0x1.5555a2p-2, -0.5});
  Expr t = f * f * p;
  Expr inner = f + Fma(n, f.c(0x1.7f7d1cp-20 * 0x1p-23), t);
  return Fma(n, f.c(0x1.62e4p-1 * 0x1p-23), inner);
}

Expr LogF32(Expr x) {
  Expr tiny = Cmp(Predicate::kLt, x, 0x1p-126);
  Expr bits = Bits(Select(tiny, x * 0x1p25, x));
  Expr e = (bits - bits.ci(0x3f400000)) & bits.ci(-0x800000);
  Expr f = Float(bits - e) - 1.0;
  Expr n = e.To(ElementType::F32);
  n = Select(tiny, n - 0x1.9p27, n);
  Expr r = LogSumF32(f, n);
  r = Select(Cmp(Predicate::kLt, x, kInf), r, x);
  return Select(Cmp(Predicate::kGt, x, 0), r, Select(Cmp(Predicate::kEq, x, 0), x.c(-kInf), x.c(kNaN)));
}

Expr Log1pF32(Expr x) {
  Expr bits = Bits(x + 1.0);
  Expr e = (bits - bits.ci(0x3f400000)) & bits.ci(-0x800000);
  Expr scale = Float(bits.ci(0x40800000) - e);
  Expr f = Float(Bits(x) - e) + Fma(scale, x.c(0.25), -1);
  Expr n = e.To(ElementType::F32);
  Expr r = LogSumF32(f, n);
  r = Select(Cmp(Predicate::kLt, x, kInf), r, x);
  return Select(Cmp(Predicate::kGt, x, -1), r, Select(Cmp(Predicate::kEq, x, -1), x.c(-kInf), x.c(kNaN)));
}

}  // namespace
Expr Log(Expr x) { return LogF32(x); }
Expr Log1p(Expr x) { return Log1pF32(x); }
}  // namespace sinter::emit
