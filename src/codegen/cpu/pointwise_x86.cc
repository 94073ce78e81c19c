#include "codegen/cpu/pointwise_x86.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace sinter::cpu {

using codegen::Expr;

// vrangeps takes -0 for less than +0, as it should, and of a NaN and a number the number, which it
// should not.
Expr PointwiseX86::FloatMinMax(Expr a, Expr c, bool is_max) {
  namespace id = llvm::Intrinsic;
  const unsigned bits = static_cast<unsigned>(a.width()) * a.bits();
  const bool constant = llvm::isa<llvm::Constant>(a.v) || llvm::isa<llvm::Constant>(c.v);
  if (!target_.avx512 || constant || (bits != 128 && bits != 256 && bits != 512) || a.width() == 1)
    return Pointwise::FloatMinMax(a, c, is_max);
  const bool f32 = a.bits() == 32;
  const id::ID range =
      bits == 512   ? (f32 ? id::x86_avx512_mask_range_ps_512 : id::x86_avx512_mask_range_pd_512)
      : bits == 256 ? (f32 ? id::x86_avx512_mask_range_ps_256 : id::x86_avx512_mask_range_pd_256)
                    : (f32 ? id::x86_avx512_mask_range_ps_128 : id::x86_avx512_mask_range_pd_128);
  // Bits 0 and 1: minimum or maximum; bit 2: the sign is the chosen operand's.
  llvm::Value* control = b_.getInt32(is_max ? 5 : 4);
  llvm::Value* all = a.width() == 16 ? b_.getInt16(0xffff) : b_.getInt8(0xff);
  llvm::Value* unused = llvm::Constant::getNullValue(a.type());
  llvm::SmallVector<llvm::Value*, 6> args{a, c, control, unused, all};
  if (bits == 512) args.push_back(b_.getInt32(4));  // the current rounding mode
  Expr picked = a.With(b_.CreateIntrinsic(range, args));
  return Select(a.With(b_.CreateFCmpUNO(a, c)), a + c, picked);
}

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

RoundingSum FindRoundingSum(llvm::Value* n, llvm::Type* float_type) {
  const int64_t magic =
      float_type->getScalarSizeInBits() == 64 ? 0x4338000000000000 : int64_t{0x4b400000};
  RoundingSum found;
  for (;;) {
    auto* difference = llvm::dyn_cast<llvm::BinaryOperator>(n);
    if (difference == nullptr || difference->getOpcode() != llvm::Instruction::Sub) return {};
    auto* splat = llvm::dyn_cast<llvm::Constant>(difference->getOperand(1));
    auto* constant = splat == nullptr
                         ? nullptr
                         : llvm::dyn_cast_or_null<llvm::ConstantInt>(splat->getSplatValue());
    if (constant == nullptr) return {};
    n = difference->getOperand(0);
    if (auto* bits = llvm::dyn_cast<llvm::BitCastInst>(n)) {
      if (constant->getSExtValue() != magic || bits->getSrcTy() != float_type) return {};
      found.sum = bits->getOperand(0);
      return found;
    }
    if (found.less != 0) return {};
    found.less = constant->getSExtValue();
    if (found.less < -1024 || found.less > 1024) return {};
  }
}

// AVX-512 takes the exponent as a float, which the sum is that rounded it: no way through integers.
Expr PointwiseX86::LdexpInRange(Expr x, Expr n) {
  namespace id = llvm::Intrinsic;
  const unsigned bits = static_cast<unsigned>(x.width()) * x.bits();
  const RoundingSum found = FindRoundingSum(n, x.type());
  if (!target_.avx512 || found.sum == nullptr || x.width() == 1 ||
      (bits != 128 && bits != 256 && bits != 512))
    return Pointwise::LdexpInRange(x, n);
  const bool f32 = x.bits() == 32;
  const id::ID scale =
      bits == 512   ? (f32 ? id::x86_avx512_mask_scalef_ps_512 : id::x86_avx512_mask_scalef_pd_512)
      : bits == 256 ? (f32 ? id::x86_avx512_mask_scalef_ps_256 : id::x86_avx512_mask_scalef_pd_256)
                    : (f32 ? id::x86_avx512_mask_scalef_ps_128 : id::x86_avx512_mask_scalef_pd_128);
  // Exact: both are whole, and below 2^22.
  Expr exponent =
      x.With(found.sum) - x.F((f32 ? 0x1.8p23 : 0x1.8p52) + static_cast<double>(found.less));
  llvm::Value* all = x.width() == 16 ? b_.getInt16(0xffff) : b_.getInt8(0xff);
  llvm::SmallVector<llvm::Value*, 5> args{x, exponent, llvm::Constant::getNullValue(x.type()), all};
  if (bits == 512) args.push_back(b_.getInt32(4));  // the current rounding mode
  return x.With(b_.CreateIntrinsic(scale, args));
}

bool PointwiseX86::IsVectorOfWords(int width) const {
  return (width == 4 || width == 8 || width == 16) && 4 * width <= target_.vector_bytes;
}

Expr PointwiseX86::DotAdd(Expr a, Expr m, Expr sum) {
  namespace id = llvm::Intrinsic;
  const int width = sum.width();
  const bool floats = sum.is_float();
  if (!(floats ? target_.dot_bf16 : target_.dot_bytes) || !IsVectorOfWords(width))
    return Pointwise::DotAdd(a, m, sum);
  const id::ID dot =
      width == 16  ? (floats ? id::x86_avx512bf16_dpbf16ps_512 : id::x86_avx512_vpdpbusd_512)
      : width == 8 ? (floats ? id::x86_avx512bf16_dpbf16ps_256 : id::x86_avx512_vpdpbusd_256)
                   : (floats ? id::x86_avx512bf16_dpbf16ps_128 : id::x86_avx512_vpdpbusd_128);
  llvm::Type* elements = floats ? codegen::Widen(b_.getBFloatTy(), 2 * width)
                                : codegen::Widen(b_.getInt8Ty(), 4 * width);
  return sum.With(b_.CreateIntrinsic(
      dot, {sum.v, b_.CreateBitCast(a, elements), b_.CreateBitCast(m, elements)}));
}

Expr PointwiseX86::DotAddPairs(Expr a, Expr m, Expr sum) {
  namespace id = llvm::Intrinsic;
  const int width = sum.width();
  if (!IsVectorOfWords(width)) return Pointwise::DotAddPairs(a, m, sum);
  const id::ID dot = width == 16  ? id::x86_avx512_pmaddw_d_512
                     : width == 8 ? id::x86_avx2_pmadd_wd
                                  : id::x86_sse2_pmadd_wd;
  llvm::Type* elements = codegen::Widen(b_.getInt16Ty(), 2 * width);
  return sum + sum.With(b_.CreateIntrinsic(
                   dot, {b_.CreateBitCast(a, elements), b_.CreateBitCast(m, elements)}));
}

}  // namespace sinter::cpu
