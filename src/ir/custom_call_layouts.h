// Custom calls of targets that take or give arrays in other layouts than row-major. The graph has
// row-major arrays only: such a target takes or gives the transpose that has the same order in
// memory.
#pragma once

#include "absl/types/span.h"
#include "ir/ops/attributes.h"
#include "sinter/shape.h"

namespace sinter {

// The layouts that these shapes, one for each operand and the result's, state for a call. Nothing
// where the target is code of our own, which knows no layouts.
void StateLayouts(CustomCallAttrs& attrs, absl::Span<const Shape> operands, const Shape& result);

// The shape with these layouts, one for each leaf; takes as many as the shape has leaves. Without
// any it is the shape in the default layout.
Shape InLayouts(const Shape& shape, absl::Span<const Dims>& layouts);

// The arrays of the shape with their dimensions in the order of memory, as row-major arrays.
Shape InMemory(const Shape& shape);

}  // namespace sinter
