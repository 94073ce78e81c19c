// Pointwise operations for which x86 has something better than what every target can do.
#pragma once

#include "codegen/cpu/target.h"
#include "codegen/llvm/pointwise.h"

namespace sinter::cpu {

class PointwiseX86 final : public codegen::Pointwise {
 public:
  PointwiseX86(llvm::IRBuilder<>& builder, const Target& target, codegen::SoftFunctions& soft)
      : Pointwise(builder,
                  {.fma = target.fma,
                   .half = target.half,
                   .half_arithmetic = target.half_arithmetic,
                   .nan_of_operand = true,
                   .masked_operations = target.avx512},
                  soft),
        target_(target) {}

 protected:
  codegen::Expr FloatMinMax(codegen::Expr a, codegen::Expr c, bool is_max) override;
  codegen::Expr Ldexp(codegen::Expr x, codegen::Expr n) override;
  codegen::Expr LdexpInRange(codegen::Expr x, codegen::Expr n) override;
  codegen::Expr DotAdd(codegen::Expr a, codegen::Expr m, codegen::Expr sum) override;
  codegen::Expr DotAddPairs(codegen::Expr a, codegen::Expr m, codegen::Expr sum) override;

 private:
  // Whether dot instructions take so many words of 32 bits.
  bool IsVectorOfWords(int width) const;

  const Target& target_;
};

// Of an integer n - less, where n was taken from the low bits of 1.5 * 2^(mantissa bits) + n, that
// sum and `less`; null where it is no such integer. For |n| below a quarter of the constant, as in
// a range that `in_range` allows, sum and integer determine each other.
struct RoundingSum {
  llvm::Value* sum = nullptr;
  int64_t less = 0;
};
RoundingSum FindRoundingSum(llvm::Value* n, llvm::Type* float_type);

}  // namespace sinter::cpu
