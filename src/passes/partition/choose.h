// How an operation is cut.
#pragma once

#include <vector>

#include "passes/partition/rule.h"

namespace sinter::partition {

struct OperationCut {
  std::vector<Axes> of_factors;
  std::vector<AxesOfDims> operands, results;  // what follows for the arrays
  Axes combined;  // of the factors that parts of results are combined over
};

// `operands` are the shardings that the operands have, `results` those that the results shall have.
// `taken` are axes that must cut nothing.
OperationCut ChooseCut(const Mesh& mesh, const HloInstruction& i, const Rule& rule,
                       const std::vector<AxesOfDims>& operands,
                       const std::vector<AxesOfDims>& results, AxisSet taken);

// Whether a part of a result that is to be combined over `combined` may be combined and scattered
// along dimension d at once, and over which of these axes: where what is wanted cuts the dimension
// by them next.
struct ScatteredDimension {
  size_t d = 0;
  Axes axes;  // none: no
};
ScatteredDimension FindScatter(const Mesh& mesh, const Shape& whole, const AxesOfDims& now,
                               const AxesOfDims& wanted, const Axes& combined);

}  // namespace sinter::partition
