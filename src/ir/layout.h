// The order of an array's dimensions in memory, as texts and builders state it.
#pragma once

#include "ir/ops/attributes.h"
#include "sinter/shape.h"

namespace sinter {

// Whether an array of the shape is not row-major.
bool HasLayout(const Shape& shape);
// The shape with row-major arrays only.
Shape RowMajor(const Shape& shape);

// The dimensions of an array from the innermost in memory to the outermost, of the default layout
// too; and the other way round.
Dims MinorToMajor(const Shape& shape);
Dims MajorToMinor(const Shape& shape);
// The last dimension of more than one element, along which the memory of a row-major array runs;
// the first where there is none, -1 of a scalar.
int64_t MinorDimension(const Shape& shape);
// The permutation that undoes this one.
Dims InversePermutation(const Dims& permutation);

}  // namespace sinter
