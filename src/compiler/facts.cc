#include "compiler/facts.h"

#include <algorithm>

#include "codegen/kernel/stages.h"

namespace sinter::compiler {

KernelFacts FactsOf(const HloComputation& region, const plan::Plan& plan,
                    const kernel::Kernel& kernel) {
  KernelFacts facts;
  facts.in_place = plan.in_place;
  if (const HloInstruction* window = plan::Window(region)) {
    const HloInstruction* base = window->operand(0);
    facts.window_base = static_cast<int>(base->attrs<ParameterAttrs>().number);
    facts.window_base_read =
        base->users().size() > 1 ||
        std::count(window->operands().begin(), window->operands().end(), base) > 1;
  }
  for (const kernel::Buffer& b : kernel.buffers) {
    if (b.space == kernel::Space::kScratch)
      facts.scratch.push_back(kernel::BufferBytes(kernel, b).value_or(0));
  }
  return facts;
}

}  // namespace sinter::compiler
