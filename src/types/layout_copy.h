// Arrays of the host between row-major order and the layout of a shape. Elements have bytes of
// their own.
#pragma once

#include "sinter/shape.h"

namespace sinter {

// Copies shape.byte_size() bytes from the order of its layout to row-major order, or back.
void CopyToRowMajor(const Shape& shape, const void* from, void* to);
void CopyFromRowMajor(const Shape& shape, const void* from, void* to);

}  // namespace sinter
