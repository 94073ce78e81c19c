#include "codegen/plan/bases.h"

#include <algorithm>

#include "codegen/plan/plan.h"
#include "ir/analysis/own_window.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

size_t NumberOf(const HloInstruction& parameter) {
  return static_cast<size_t>(parameter.attrs<ParameterAttrs>().number);
}

}  // namespace

std::optional<Base> WindowBase(const HloComputation& region) {
  const HloInstruction* window = Window(region);
  if (!window) return std::nullopt;
  const OwnReads reads = ReadsOfOwnArray(*window, [](const HloInstruction&) { return true; });
  return Base{NumberOf(*window->operand(0)), reads == OwnReads::kOther, reads == OwnReads::kWindow};
}

std::vector<Base> Bases(const HloComputation& region) {
  if (const std::optional<Base> base = WindowBase(region)) return {*base};
  const HloInstruction* i = ScatterOf(region);
  if (!i) return {};
  const size_t count = i->operands().size() / 2;  // of its operands, the first ones
  std::vector<Base> bases;
  for (size_t k = 0; k < count; ++k) {
    const HloInstruction* base = i->operand(k);
    const bool read = base->users().size() > 1 ||
                      std::count(i->operands().begin() + static_cast<ptrdiff_t>(count),
                                 i->operands().end(), base) > 0;
    bases.push_back({NumberOf(*base), read});
  }
  return bases;
}

bool ChangesFewInPlace(const HloComputation& region) {
  const HloInstruction* window = Window(region);
  if (window == nullptr || window->operands().back()->op() == HloOpcode::Constant) return false;
  return window->operand(1)->shape().element_count() <= tuning::kElementsOneByOne &&
         WindowBase(region)->in_place;
}

}  // namespace sinter::plan
