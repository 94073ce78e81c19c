#include "codegen/emit/math/internal.h"

namespace sinter::emit {
namespace {
Expr ErfF32(Expr x0) {
  Expr x = AtLeast(AtMost(x0, 3.925f), -3.925f);
  Expr y = x * x;
  Expr p = Horner(y, {0x1.129c69p-19, 0x1.2aaea8p-12, 0x1.ee7cd9p-9, 0x1.b049d5p-5, 0x1.865723p-3, 0x1.20dd75p+0});
  Expr q = Horner(y, {0x1.3f2ad9p-15, 0x1.311aaap-10, 0x1.eaf9b6p-7, 0x1.d3b230p-4, 0x1.01261ep-1, 1});
  return x * p / q;
}
}  // namespace
Expr Erf(Expr x) { return ErfF32(x); }
}  // namespace sinter::emit
