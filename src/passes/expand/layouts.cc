#include "passes/expand/layouts.h"

#include "ir/layout.h"

namespace sinter {
namespace {

absl::StatusOr<bool> ExpandLayouts(HloModule& module) {
  bool changed = false;
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (!HasLayout(i->shape())) continue;
      i->set_shape(RowMajor(i->shape()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandLayoutsPass() { return MakePass("expand-layouts", ExpandLayouts); }

}  // namespace sinter
