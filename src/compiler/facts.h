// What buffer assignment must know of a compiled region.
#pragma once

#include "codegen/kernel/kernel.h"
#include "codegen/plan/plan.h"
#include "ir/module.h"
#include "passes/buffers/assign.h"

namespace sinter::compiler {

// The facts of a fused region, given its plan and kernel. Every extent of a scratch buffer is a
// constant.
KernelFacts FactsOf(const HloComputation& region, const plan::Plan& plan,
                    const kernel::Kernel& kernel);

}  // namespace sinter::compiler
