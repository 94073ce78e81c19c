#include "passes/expand/windows.h"

#include "base/status.h"
#include "passes/expand/convolution.h"
#include "passes/expand/convolution_phases.h"
#include "passes/expand/reduce_window.h"
#include "passes/expand/select_and_scatter.h"

namespace sinter {
namespace {

// Convolutions of inputs that are spread, dimension by dimension.
absl::StatusOr<bool> SplitConvolutions(HloComputation& c) {
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (HloInstruction* i : c.PostOrder()) {
      if (i->op() != HloOpcode::Convolution) continue;
      ASSIGN_OR_RETURN(HloInstruction * parts, expand::ConvolutionByPhases(c, *i));
      if (parts == nullptr) continue;
      c.ReplaceAllUses(i, parts);
      again = changed = true;
    }
  }
  return changed;
}

absl::StatusOr<bool> ExpandWindowsIn(HloComputation& c) {
  ASSIGN_OR_RETURN(bool changed, SplitConvolutions(c));
  for (HloInstruction* i : c.PostOrder()) {
    HloInstruction* result = i;
    switch (i->op()) {
      case HloOpcode::Convolution: {
        ASSIGN_OR_RETURN(result, expand::Convolution(c, *i));
        break;
      }
      case HloOpcode::ReduceWindow: {
        ASSIGN_OR_RETURN(result, expand::ReduceWindow(c, *i));
        break;
      }
      case HloOpcode::SelectAndScatter: {
        ASSIGN_OR_RETURN(result, expand::SelectAndScatter(c, *i, i->operands()));
        break;
      }
      default:
        break;
    }
    if (result == i) continue;
    c.ReplaceAllUses(i, result);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandWindowsPass() {
  return MakePass("expand-windows", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      ASSIGN_OR_RETURN(bool here, ExpandWindowsIn(*c));
      changed |= here;
    }
    if (changed) module.RemoveUnreachable();
    return changed;
  });
}

}  // namespace sinter
