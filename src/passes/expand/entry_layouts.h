// Arguments and results that callers keep in other layouts than row-major.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter {

// One for each leaf of the parameters and of the result; none where all are row-major.
struct EntryLayouts {
  std::vector<Dims> parameters, results;

  bool empty() const { return parameters.empty() && results.empty(); }
};

// What the entry states. Unimplemented for a layout of an array with dynamic dimensions.
absl::StatusOr<EntryLayouts> StatedLayouts(const HloModule& module);

// The entry's parameters and results become the transposes that have the same order in memory, as
// row-major arrays. Aliases stay of those that still are of one shape.
absl::Status MoveEntryToMemory(HloModule& module, const EntryLayouts& layouts);

// The signature as callers see it: these shapes, in the layouts.
ComputationShape InLayouts(const ComputationShape& shape, const EntryLayouts& layouts);

}  // namespace sinter
