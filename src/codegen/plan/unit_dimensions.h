// The same region without dimensions of one element, which give a plan nothing to loop over, and
// along which vectors would run where one is an array's last.
#pragma once

#include <memory>

#include "ir/module.h"

namespace sinter::plan {

// A region (the body of a fusion) with fewer dimensions of one element, as the entry of a module of
// its own; null where nothing would change. Parameters and outputs are the same arrays in the same
// order: row-major memory does not know dimensions. It calls the computations that `region` calls,
// which must outlive it.
//
// Such a dimension stays where it is a part of a longer one (a slice of one element, a part of a
// concatenate), or where an operation has a meaning of its own for it (products, windows).
std::unique_ptr<HloModule> DropUnitDimensions(const HloComputation& region);

}  // namespace sinter::plan
