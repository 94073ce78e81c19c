#include "passes/control/inline_calls.h"

#include "base/status.h"
#include "pass/expansion.h"

namespace sinter {
namespace {

// Calls of calls double what they unfold to: a short text can stand for more than any memory holds.
constexpr size_t kMostInstructions = size_t{1} << 20;

}  // namespace

std::unique_ptr<Pass> MakeInlineCallsPass() {
  return MakeExpansionPass(
      "inline-calls", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Call && i.op() != HloOpcode::Fusion) return nullptr;
        if (c.instructions().size() + i.called(0)->instructions().size() > kMostInstructions) {
          return ResourceExhausted("calls unfold to more than {} instructions", kMostInstructions);
        }
        return c.Inline(*i.called(0), i.operands());
      });
}

}  // namespace sinter
