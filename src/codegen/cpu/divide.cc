// Division of tiles by a number that a loop leaves alone.
#include <cmath>

#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using codegen::Expr;
using kernel::Op;
using kernel::OpCode;
using llvm::Value;

// x / s in F32 by multiplication in F64, rounded as division rounds. With high + low = 1/s up to
// 2^-104 of it, fma(x, high, x * low) is x/s rounded to F64 once more: exactly x/s where that has
// few digits, as the ties of denormal results have, and else on the same side of all ties of F32 as
// x/s is, which keeps away from them by 2^-49 of itself. 512-bit division takes 16 cycles, this
// 6.5; without AVX-512 there is nothing to gain.
bool Tiles::EmitOwnPointwise(const Op& op) {
  if (op.code != OpCode::kDiv || !target_.avx512) return false;
  const kernel::Type& t = type(op.results[0]);
  if (t.elem != ElementType::F32 || t.cols < 8 || !type(op.operands[1]).is_scalar()) return false;
  Value* divisor = Scalar(op.operands[1]);
  const int depth = Depth(divisor);
  if (depth >= Depth() || llvm::isa<llvm::Constant>(divisor)) return false;

  Value* high = nullptr;
  Value* low = AtDepth(depth, [&]() -> Value* {
    Expr s = Expr{&b_, divisor}.FExt();
    Expr inverse = s.With(b_.CreateFDiv(s.C(1), s));
    // Towards zero by a unit, so that the rest is never zero and has the sign of s: infinite x meet
    // no contrary infinities. For s zero, infinite or NaN 1/s twice gives all that x/s is.
    Expr toward = (inverse.AsInt() - 1).AsFloat();
    Expr rest = s.With(
        b_.CreateIntrinsic(llvm::Intrinsic::fma, {s.type()}, {b_.CreateFNeg(toward), s, s.C(1)}));
    Expr size = FAbs(s);
    Value* plain = b_.CreateAnd(Gt(size, s.C(0)), Lt(size, s.F(HUGE_VAL)));
    high = b_.CreateSelect(plain, toward, inverse);
    return b_.CreateSelect(plain, b_.CreateFDiv(rest, s), inverse);
  });
  Parts out;
  for (int part = 0; part < Count(t); part++) {
    Expr x = Expr{&b_, Part(op.operands[0], part, t)}.FExt();
    Expr p = x * x.With(Splat(low, x.width()));
    out.push_back(
        x.With(b_.CreateIntrinsic(llvm::Intrinsic::fma, {x.type()}, {x, Splat(high, x.width()), p}))
            .FTrunc());
  }
  Bind(op.results[0], std::move(out));
  return true;
}

}  // namespace sinter::cpu
