// Custom calls of targets that take or give arrays in other layouts than row-major. The graph has
// row-major arrays only: such a target takes or gives the transpose that has the same order in
// memory.
#pragma once

#include "absl/types/span.h"
#include "ir/ops/attributes.h"
#include "sinter/shape.h"

namespace sinter {

// What the layouts of these shapes, one an operand and the result's, say of a call. Nothing where
// the target is code of our own, of values.
void StateLayouts(CustomCallAttrs& attrs, absl::Span<const Shape> operands, const Shape& result);

// The shape with these layouts, one a leaf, of which it takes as many as it has. Without any it is
// the shape in the default layout.
Shape InLayouts(const Shape& shape, absl::Span<const Dims>& layouts);

// The arrays of the shape as they lie in memory, if that were row-major.
Shape InMemory(const Shape& shape);

}  // namespace sinter
