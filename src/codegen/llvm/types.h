// Element types of the kernel IR as LLVM types. F16 and BF16 are carried as their bits in i16: the
// IR only moves and converts them, and no target may be left to choose how to legalise arithmetic
// on them.
#pragma once

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Type.h"
#include "sinter/element_type.h"

namespace sinter::codegen {

// In registers; a predicate is one bit.
inline llvm::Type* RegisterType(llvm::LLVMContext& context, ElementType elem) {
  if (elem == ElementType::PRED) return llvm::Type::getInt1Ty(context);
  if (elem == ElementType::F32) return llvm::Type::getFloatTy(context);
  if (elem == ElementType::F64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(BitWidth(elem)));
}

// In memory; a predicate is a byte.
inline llvm::Type* MemoryType(llvm::LLVMContext& context, ElementType elem) {
  return elem == ElementType::PRED ? llvm::Type::getInt8Ty(context) : RegisterType(context, elem);
}

// `width` lanes of a scalar type; one lane is the scalar itself.
inline llvm::Type* Widen(llvm::Type* scalar, int width) {
  if (width == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(width));
}

inline int WidthOf(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

// Types that the walk computes in, as opposed to those it only moves and converts.
inline bool IsArithmeticFloat(ElementType elem) {
  return elem == ElementType::F32 || elem == ElementType::F64;
}
inline bool IsNarrowFloat(ElementType elem) {
  return elem == ElementType::F16 || elem == ElementType::BF16;
}

}  // namespace sinter::codegen
