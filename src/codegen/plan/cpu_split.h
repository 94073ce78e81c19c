// Reductions and products of few results on a CPU, cut into stages.
#pragma once

#include "codegen/plan/planner.h"

namespace sinter::plan {

class SplitPlanner : protected Planner {
 protected:
  using Planner::Planner;

  // Too few results to make tasks of, and much to reduce: the longest reduced axis is cut into
  // chunks.
  void ChooseSplit();

 private:
  struct SplitAxis {
    int dim = -1;  // as that of Split
    int64_t extent = 0;
    double elements = 0;    // that are reduced
    bool is_only = true;    // the only one that is reduced
    bool is_minor = false;  // of what is reduced: it may fill vectors
  };
  // Whether the loops are one product, or reductions of about as many elements, none of which
  // depends on another.
  bool LoopsAreSplitAlike() const;
  bool IsReducedAs(const HloInstruction& reduce, const HloInstruction& other) const;
  // Whether the results are one row, or a few of a product, which have the same elements to read:
  // long enough for memory to be read in its order and short enough to stay in the second-level
  // cache. The chunks must be tasks enough.
  bool SweepsRows(const HloInstruction& reduce, const SplitAxis& axis) const;
  SplitAxis LongestReduced(const HloInstruction& reduce) const;
};

}  // namespace sinter::plan
