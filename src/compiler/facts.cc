#include "compiler/facts.h"

#include "codegen/kernel/stages.h"
#include "codegen/plan/bases.h"

namespace sinter::compiler {

KernelFacts FactsOf(const HloComputation& region, const plan::Plan& plan,
                    const kernel::Kernel& kernel) {
  KernelFacts facts;
  facts.in_place = plan.in_place;
  for (const plan::Base& base : plan::Bases(region))
    facts.bases.push_back({base.parameter, base.read});
  for (const kernel::Buffer& b : kernel.buffers) {
    if (b.space == kernel::Space::kScratch)
      facts.scratch.push_back(kernel::BufferBytes(kernel, b).value_or(0));
  }
  return facts;
}

}  // namespace sinter::compiler
