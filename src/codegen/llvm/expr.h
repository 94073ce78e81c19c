// LLVM values with operators, so that an expansion reads as the arithmetic it is. Constants take
// the type of the operand beside them; everything works on scalars and vectors alike.
#pragma once

#include <cstdint>

#include "codegen/llvm/types.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::codegen {

struct Expr {
  llvm::IRBuilder<>* b = nullptr;
  llvm::Value* v = nullptr;
  operator llvm::Value*() const { return v; }

  llvm::Type* type() const { return v->getType(); }
  bool is_float() const { return type()->getScalarType()->isFloatingPointTy(); }
  int width() const { return WidthOf(type()); }
  unsigned bits() const { return type()->getScalarSizeInBits(); }
  Expr With(llvm::Value* other) const { return {b, other}; }

  Expr C(int64_t x) const {
    return With(is_float() ? llvm::ConstantFP::get(type(), static_cast<double>(x))
                           : llvm::ConstantInt::getSigned(type(), x));
  }
  Expr U(uint64_t x) const { return With(llvm::ConstantInt::get(type(), x)); }
  Expr F(double x) const { return With(llvm::ConstantFP::get(type(), x)); }

  // Types of the same width in lanes.
  llvm::Type* IntType(unsigned n) const { return Widen(b->getIntNTy(n), width()); }
  llvm::Type* FloatType(unsigned n) const {
    return Widen(n == 64 ? b->getDoubleTy() : n == 32 ? b->getFloatTy() : b->getHalfTy(), width());
  }
  Expr AsInt() const { return With(b->CreateBitCast(v, IntType(bits()))); }
  Expr AsFloat() const { return With(b->CreateBitCast(v, FloatType(bits()))); }
  Expr Zext(unsigned n) const { return With(b->CreateZExtOrTrunc(v, IntType(n))); }
  Expr Sext(unsigned n) const { return With(b->CreateSExtOrTrunc(v, IntType(n))); }
  Expr FExt() const { return With(b->CreateFPExt(v, FloatType(64))); }
  Expr FTrunc() const { return With(b->CreateFPTrunc(v, FloatType(32))); }
};

inline Expr operator+(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFAdd(a, o) : a.b->CreateAdd(a, o));
}
inline Expr operator-(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFSub(a, o) : a.b->CreateSub(a, o));
}
inline Expr operator*(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFMul(a, o) : a.b->CreateMul(a, o));
}
// Of floats.
inline Expr operator/(Expr a, Expr o) { return a.With(a.b->CreateFDiv(a, o)); }
inline Expr operator&(Expr a, Expr o) { return a.With(a.b->CreateAnd(a, o)); }
inline Expr operator|(Expr a, Expr o) { return a.With(a.b->CreateOr(a, o)); }
inline Expr operator^(Expr a, Expr o) { return a.With(a.b->CreateXor(a, o)); }
inline Expr operator~(Expr a) { return a.With(a.b->CreateNot(a)); }
inline Expr operator<<(Expr a, Expr o) { return a.With(a.b->CreateShl(a, o)); }
inline Expr operator>>(Expr a, Expr o) { return a.With(a.b->CreateLShr(a, o)); }
inline Expr operator+(Expr a, int64_t x) { return a + a.C(x); }
inline Expr operator-(Expr a, int64_t x) { return a - a.C(x); }
inline Expr operator&(Expr a, uint64_t x) { return a & a.U(x); }
inline Expr operator|(Expr a, uint64_t x) { return a | a.U(x); }
inline Expr operator<<(Expr a, int x) { return a << a.C(x); }
inline Expr operator>>(Expr a, int x) { return a >> a.C(x); }
inline Expr Sar(Expr a, int x) { return a.With(a.b->CreateAShr(a, a.C(x))); }

// Comparisons: of floats ordered, of integers signed unless the name says otherwise.
inline Expr Lt(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFCmpOLT(a, o) : a.b->CreateICmpSLT(a, o));
}
inline Expr Gt(Expr a, Expr o) { return Lt(o, a); }
inline Expr Ge(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFCmpOGE(a, o) : a.b->CreateICmpSGE(a, o));
}
inline Expr ULt(Expr a, Expr o) { return a.With(a.b->CreateICmpULT(a, o)); }
inline Expr Eq(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFCmpOEQ(a, o) : a.b->CreateICmpEQ(a, o));
}
// True for NaN.
inline Expr Ne(Expr a, Expr o) {
  return a.With(a.is_float() ? a.b->CreateFCmpUNE(a, o) : a.b->CreateICmpNE(a, o));
}
inline Expr IsNan(Expr a) { return a.With(a.b->CreateFCmpUNO(a, a)); }
inline Expr Select(Expr m, Expr a, Expr o) { return a.With(a.b->CreateSelect(m, a, o)); }
inline Expr FAbs(Expr a) { return a.With(a.b->CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a)); }

inline Expr SMin(Expr a, Expr o) {
  return a.With(a.b->CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, o));
}
inline Expr SMax(Expr a, Expr o) {
  return a.With(a.b->CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, o));
}
inline Expr UMin(Expr a, Expr o) {
  return a.With(a.b->CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, o));
}
inline Expr SClamp(Expr a, int64_t lo, int64_t hi) { return SMin(SMax(a, a.C(lo)), a.C(hi)); }

}  // namespace sinter::codegen
