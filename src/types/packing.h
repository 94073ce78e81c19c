// Elements of 2 and 4 bits as device buffers hold them (Shape::packed_byte_size), from and to the
// literals' one byte an element.
#pragma once

#include <cstdint>

#include "sinter/element_type.h"
#include "sinter/literal.h"

namespace sinter {

// `count` elements of a type with several to a byte. Of an element's byte only its low bits are
// read.
void PackElements(ElementType type, const void* elements, int64_t count, void* packed);
// Signed integers are extended by their sign, others by zeros.
void UnpackElements(ElementType type, const void* packed, int64_t count, void* elements);

// An array as a row-major device buffer of shape().packed_byte_size() bytes holds it.
void ToBuffer(const Literal& array, void* buffer);
void FromBuffer(const void* buffer, Literal& array);

}  // namespace sinter
