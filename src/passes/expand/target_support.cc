#include "passes/expand/target_support.h"

#include "base/status.h"

namespace sinter {

std::unique_ptr<Pass> MakeTargetSupportPass(const TargetInfo& target) {
  return MakePass("target-support", [target](HloModule& module) -> absl::StatusOr<bool> {
    for (const auto& c : module.computations()) {
      for (const auto& i : c->instructions()) {
        if ((i->op() == HloOpcode::Sort && !target.calls_library()) ||
            (i->op() == HloOpcode::Scatter && !target.scatters()))
          return Unimplemented("{} {} has no code for this device", Name(i->op()), i->name());
      }
    }
    return false;
  });
}

}  // namespace sinter
