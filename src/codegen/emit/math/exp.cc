#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {

// x = n ln 2 + r with |r| <= ln(2)/2; j holds n in its low bits.
struct Reduced {
  Expr r, j, n;
};
Reduced ReduceF32(Expr x) {
  Expr j = Fma(x, x.c(0x1.715476p+0f), kMagic32);
  Expr n = j - kMagic32;
  Expr r = Fma(n, x.c(-0x1.62e4p-1f), x);
  return {Fma(n, x.c(-0x1.7f7d1cp-20f), r), j, n};
}

// exp(r) for |r| <= ln(2)/2.
Expr ExpPolyF32(Expr r) {
  return Horner(r, {0x1.6ac74ep-10, 0x1.123de0p-7, 0x1.555858p-5, 0x1.55548cp-3, 0x1.fffffcp-2, 1, 1});
}
Expr ExpCoreF32(Expr x) {
  auto [r, j, n] = ReduceF32(x);
  Expr k = Bits(j);
  return Ldexp(ExpPolyF32(r), k - k.ci(std::bit_cast<int32_t>(static_cast<float>(kMagic32))));
}

Expr ExpF32(Expr x) { return ExpCoreF32(AtLeast(AtMost(x, 89), -104)); }

Expr Expm1F32(Expr x0) {
  Expr x = AtLeast(AtMost(x0, 89), -18);
  auto [r, j, n] = ReduceF32(x);
  Expr y = r * r;
  Expr p = Fma(Horner(r, {0x1.6ab61ap-10, 0x1.122c58p-7, 0x1.55579ep-5, 0x1.5554aap-3, 0x1.fffffep-2}), y, r);
  Expr bits = Bits(j);
  Expr half = Float((bits << bits.ci(23)) + bits.ci(0x3f000000));  // 2^(n-1): 2^128 is not finite
  Expr h = Fma(half, p, half - 0.5);
  return Select(Cmp(Predicate::kEq, y, 0), x0, h + h);
}

Expr LogisticF32(Expr x) {
  Expr e = ExpCoreF32(AtLeast(-Abs(x), -104));
  return Select(Cmp(Predicate::kLt, x, 0), e, x.c(1)) / (e + 1.0);
}

}  // namespace

Expr Exp(Expr x) { return ExpF32(x); }
Expr Expm1(Expr x) { return Expm1F32(x); }
Expr Logistic(Expr x) { return LogisticF32(x); }

}  // namespace sinter::emit
