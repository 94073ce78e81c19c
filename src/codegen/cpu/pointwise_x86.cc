#include "codegen/cpu/pointwise_x86.h"

namespace sinter::cpu {

using codegen::Expr;

// AVX-512 scales by a power of two in one instruction, which rounds once.
Expr PointwiseX86::Ldexp(Expr x, Expr n) {
  if (!target_.avx512) return Pointwise::Ldexp(x, n);
  // LLVM takes exponents of 32 bits.
  if (n.bits() > 32) n = SClamp(n, -2100, 2100).Zext(32);
  const bool scalar = x.width() == 1;
  llvm::Type* x_type = x.type();
  if (scalar) {  // which LLVM would make a call
    llvm::Type* vector = codegen::Widen(x_type, x.bits() == 32 ? 4 : 2);
    llvm::Type* exponents = codegen::Widen(n.type(), x.bits() == 32 ? 4 : 2);
    x = x.With(b_.CreateInsertElement(llvm::Constant::getNullValue(vector), x, uint64_t{0}));
    n = n.With(b_.CreateInsertElement(llvm::Constant::getNullValue(exponents), n, uint64_t{0}));
  }
  Expr y = x.With(b_.CreateIntrinsic(llvm::Intrinsic::ldexp, {x.type(), n.type()}, {x, n}));
  return scalar ? y.With(b_.CreateExtractElement(y, uint64_t{0})) : y;
}

}  // namespace sinter::cpu
