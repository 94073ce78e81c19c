#include "passes/control/inline_calls.h"

#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/expansion.h"
#include "pass/inline_elementwise.h"

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

std::unique_ptr<Pass> MakeExpandMapsPass() {
  return MakeExpansionPass(
      "expand-maps", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Map || i.operands().empty() || !IsScalarComputation(*i.called(0)))
          return nullptr;
        return InlineElementwise(c, *i.called(0), i.operands(), i.shape().dimensions());
      });
}

}  // namespace sinter
