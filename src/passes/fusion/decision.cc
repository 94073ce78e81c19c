#include "passes/fusion/decision.h"

#include "base/status.h"
#include "ir/analysis/op_cost.h"
#include "ir/results.h"
#include "target/price.h"

namespace sinter {
namespace {

const char* TextOf(FusionReason reason) {
  switch (reason) {
    case FusionReason::kJoins:
      return "they share a kernel";
    case FusionReason::kNoRegion:
      return "it is no operation of kernels";
    case FusionReason::kTakesNoProducers:
      return "the reader takes no producers: a loop over scalars, or an update of the array it "
             "reads";
    case FusionReason::kManyAccesses:
      return "it is read at too many different places";
    case FusionReason::kManyPlaces:
      return "slices, pads and concatenations would compute it at too many places";
    case FusionReason::kOverwritten:
      return "the reader writes over memory that this value is computed from";
    case FusionReason::kLoopByElements:
      return "the reader is a loop that elements run by themselves: no registers are left";
    case FusionReason::kScatter:
      return "the reader is a scatter, which walks its updates one by one";
    case FusionReason::kView:
      return "it is a view of memory, so its operand is there";
    case FusionReason::kReshape:
      return "a reshape cuts dimensions otherwise, so that indices are no sums";
    case FusionReason::kReduceAxes:
      return "the reader has not all axes that the reduction keeps, or has another reduction";
    case FusionReason::kReduceTasks:
      return "the reader would be left with too few tasks beside the reduction";
    case FusionReason::kShortRows:
      return "the reader's rows are short, and the reduction gives long ones";
    case FusionReason::kScanAxes:
      return "the reader does not walk along with the scan";
    case FusionReason::kProductAxes:
      return "the reader does not compute elements where the product does, or has a loop of its "
             "own";
    case FusionReason::kOtherDimensions:
      return "the reader has other dimensions";
    case FusionReason::kManyOutputs:
      return "the reader has as many outputs as a kernel may";
    case FusionReason::kOtherElement:
      return "the reader reads it elsewhere than where it computes";
    case FusionReason::kCycle:
      return "the reader needs another kernel that needs this value";
    case FusionReason::kWindow:
      return "it writes a window into a value that is in memory";
    case FusionReason::kTuple:
      return "an operation of several results is a kernel of its own";
    case FusionReason::kElsewhere:
      return "another kernel that reads it computes it";
    case FusionReason::kLarge:
      return "the kernel would be too large";
    case FusionReason::kManyArrays:
      return "the kernel would read too many arrays";
    case FusionReason::kRepeated:
      return "overlapping windows would compute it again and again";
    case FusionReason::kPrologue:
      return "the product would compute it for each row or column of its result";
    case FusionReason::kComputedOften:
      return "the reader would compute it more often than it has elements";
    case FusionReason::kLookedUp:
      return "the reader looks it up element by element, and would look up each array that it is "
             "computed from";
    case FusionReason::kMasked:
      return "the reader would read its parts lane by lane, under masks";
  }
  return "";
}

}  // namespace

FusionDecision ChooseCheaper(FusionReason otherwise, double fused, double apart) {
  if (fused <= apart) return {};
  return {otherwise, fused, apart};
}

FusionDecision CompareWithMemory(const HloInstruction& p, FusionReason otherwise, double computed,
                                 const TargetInfo& target, double cost) {
  const Shape& s = ResultShape(p);
  const double fused = PriceOf(target, cost * computed, 0),
               apart = PriceOfKernel(target, cost * static_cast<double>(s.element_count()),
                                     static_cast<double>(s.byte_size()), fused);
  return ChooseCheaper(otherwise, fused, apart);
}

FusionDecision CompareWithMemory(const HloInstruction& p, FusionReason otherwise, double computed,
                                 const TargetInfo& target) {
  return CompareWithMemory(p, otherwise, computed, target, OpCost(p));
}

std::string Describe(const FusionDecision& decision) {
  return Format("{}{}", decision.also_elsewhere ? "it is needed elsewhere too, and " : "",
                TextOf(decision.reason));
}

}  // namespace sinter
