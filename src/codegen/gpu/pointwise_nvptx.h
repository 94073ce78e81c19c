// Pointwise operations for which PTX has something better than what every target can do.
#pragma once

#include "codegen/gpu/target.h"
#include "codegen/llvm/pointwise.h"

namespace sinter::gpu {

class PointwiseNvptx final : public codegen::Pointwise {
 public:
  PointwiseNvptx(llvm::IRBuilder<>& builder, const Target& target, codegen::SoftFunctions& soft)
      : Pointwise(builder, {.fma = true, .half = true}, soft), target_(target) {}

 protected:
  codegen::Expr FloatMinMax(codegen::Expr a, codegen::Expr c, bool is_max) override;
  codegen::Expr Ldexp(codegen::Expr x, codegen::Expr n) override;

 private:
  const Target& target_;
};

}  // namespace sinter::gpu
