#include "codegen/plan/bases.h"

#include <algorithm>

#include "codegen/plan/plan.h"

namespace sinter::plan {

std::vector<Base> Bases(const HloComputation& region) {
  const HloInstruction* i = Window(region);
  size_t count = 1;  // of its operands, the first ones
  if (!i) {
    i = ScatterOf(region);
    if (!i) return {};
    count = i->operands().size() / 2;
  }
  std::vector<Base> bases;
  for (size_t k = 0; k < count; ++k) {
    const HloInstruction* base = i->operand(k);
    const bool read = base->users().size() > 1 ||
                      std::count(i->operands().begin() + static_cast<ptrdiff_t>(count),
                                 i->operands().end(), base) > 0;
    bases.push_back({static_cast<size_t>(base->attrs<ParameterAttrs>().number), read});
  }
  return bases;
}

}  // namespace sinter::plan
