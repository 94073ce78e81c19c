// Rows shorter than vectors that are computed with one row for all of them: [n, c] and [c].
#pragma once

#include <memory>

#include "ir/module.h"
#include "target/target.h"

namespace sinter::plan {

// A region whose dimensions are merged (MergeDimensions), with those of short rows one with the
// dimension before them, as the entry of a module of its own: what all rows
// are computed with is looked up, r[k mod c] for element k. Vectors are whole, where along rows
// they hold c elements. Null where there are no such rows, where other operations keep them apart,
// or where vectors of rows are better: they lack few elements and little is computed of them, or
// the machine has no such look-ups but loads. It calls the computations that `region` calls, which
// must outlive it.
std::unique_ptr<HloModule> MergeShortRows(const HloComputation& region, const CpuMachine& machine);

}  // namespace sinter::plan
