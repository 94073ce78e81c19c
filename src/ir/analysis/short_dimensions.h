// Arrays of many small rows, points or matrices.
#pragma once

#include "sinter/shape.h"

namespace sinter {

// How many of the last dimensions are short, where the others together are long; 0 for arrays that
// are not so.
int ShortDimensions(const Shape& shape);

}  // namespace sinter
