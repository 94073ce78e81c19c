// Why fusion puts a value into a region, or does not.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"
#include "target/target.h"

namespace sinter {

enum class FusionReason : uint8_t {
  kJoins,  // it does
  // --- legality
  kNoRegion,          // it is no operation that regions have
  kTakesNoProducers,  // the region is a loop over scalars, or updates an array it reads
  kManyAccesses,      // it would be read at too many different places
  kManyPlaces,        // slices, pads and concatenations of one another would compute it too often
  kOverwritten,       // the region writes over the storage of this value, or of what it is made of
  kLoopByElements,    // the region is a loop of elements, which carries as many values as fit
  kScatter,           // the region is a scatter, which walks its updates one by one
  kView,              // it needs no code: its operand's memory
  kReshape,           // its dimensions are cut otherwise than its operand's
  kReduceAxes,        // a reduction read along other axes than its own, or those of another
  kReduceTasks,       // too few tasks would be left beside those that compute the reduction
  kShortRows,         // long rows of a reduction would be columns of rows shorter than a vector
  kScanAxes,          // a scan that is not read at each step's own element
  kProductAxes,       // a product that is not read at its own element, or a second loop
  kOtherDimensions,   // a further output: of other dimensions than the region's
  kManyOutputs,       // the same: the region has as many as it may
  kOtherElement,      // the same: the region reads it elsewhere than at its own element
  kCycle,             // the same: the region needs a value computed from it by another region
  kWindow,            // it writes a window over a value in memory, and is a region of its own
  kTuple,             // an operation of several results is a region of its own
  kElsewhere,         // another region that reads it computes it, as a further output
  // --- profitability
  kLarge,          // the region would be too large to compile in reasonable time
  kManyArrays,     // the region would read more arrays than compile in reasonable time
  kRepeated,       // overlapping windows would compute it again and again
  kPrologue,       // a product reads it once for each row or column of its result
  kComputedOften,  // the region would compute it more often than it has elements
  kLookedUp,       // the region would look up, element by element, each array it is computed from
  kMasked,         // vectors of it would be put together lane by lane
};

struct FusionDecision {
  FusionReason reason = FusionReason::kJoins;
  // Nanoseconds (target/price.h) that computing it takes inside the region, and in a kernel by
  // itself. 0 where the decision is not by price.
  double fused = 0, apart = 0;
  // It is needed in memory anyhow, so that it could only have been a further output.
  bool also_elsewhere = false;

  bool joins() const { return reason == FusionReason::kJoins; }
};

// Whether the region had better compute a value, at these prices, and `otherwise` why not.
FusionDecision ChooseCheaper(FusionReason otherwise, double fused, double apart);

// Whether to compute a value so often inside the region costs less than to compute it once by a
// kernel of its own, which puts it into memory. `cost`: of one of its elements, in OpCost; where it
// is not given, that of the operation.
FusionDecision CompareWithMemory(const HloInstruction& producer, FusionReason otherwise,
                                 double computed, const TargetInfo& target, double cost);
FusionDecision CompareWithMemory(const HloInstruction& producer, FusionReason otherwise,
                                 double computed, const TargetInfo& target);

// For people.
std::string Describe(const FusionDecision& decision);

}  // namespace sinter
