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

 private:
  const Target& target_;
};

}  // namespace sinter::cpu
