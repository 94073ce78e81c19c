#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {
Expr TanhF32(Expr x0) {
  Expr x = AtLeast(AtMost(x0, 9.02f), -9.02f);
  Expr y = x * x;
  Expr p = Horner(y, {-0x1.ad5e5ep-37, 0x1.06b8ecp-25, 0x1.d5e2e4p-16, 0x1.fb0778p-9, 0x1.182a24p-3, 1});
  Expr q = Horner(y, {0x1.5992eap-20, 0x1.9cfeb2p-12, 0x1.be654ap-6, 0x1.e16a66p-2, 1});
  return x * p / q;
}
}  // namespace
Expr Tanh(Expr x) { return TanhF32(x); }
}  // namespace sinter::emit
