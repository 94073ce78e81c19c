#include "codegen/gpu/pointwise_nvptx.h"

namespace sinter::gpu {

using codegen::Expr;

// min.NaN.f32 takes -0 for less than +0 and gives NaN for NaN; there is none of f64.
Expr PointwiseNvptx::FloatMinMax(Expr a, Expr c, bool is_max) {
  if (target_.sm < 80 || a.bits() != 32) return Pointwise::FloatMinMax(a, c, is_max);
  const auto id = is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum;
  return a.With(b_.CreateBinaryIntrinsic(id, a, c));
}

// Three factors, as for f64: many GPUs have few units for f64, through which f32 would go else. The
// first ones stop short of where the last has to round.
Expr PointwiseNvptx::Ldexp(Expr x, Expr n) {
  if (x.bits() != 32) return Pointwise::Ldexp(x, n);
  n = SClamp(n, -300, 300);
  auto power = [](Expr e) { return ((e + 127) << 23).AsFloat(); };
  for (int i = 0; i < 2; i++) {
    Expr step = Select(Lt(n, n.C(-126)), n.C(-102), SMin(n, n.C(127)));
    x = x * power(step);
    n = n - step;
  }
  return x * power(SMax(n, n.C(-126)));
}

}  // namespace sinter::gpu
