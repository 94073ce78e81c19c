// Floats of at most 8 bits as integer arithmetic on their bits.
#pragma once

#include "passes/expand/formula.h"

namespace sinter::expand {

// Whether compiled devices only store elements of this type, a byte each, and compute in another:
// floats of at most 8 bits, integers of 2 and 4.
inline bool IsSmall(ElementType t) {
  return IsInteger(t) ? BitWidth(t) < 8 : IsFloat(t) && BitWidth(t) <= 8;
}
inline bool IsSmallFloat(ElementType t) { return IsSmall(t) && IsFloat(t); }

// The F32 that each pattern of a small float type is, exactly; `patterns` is of U8. NaNs keep their
// sign.
Array DecodeSmallFloat(Array patterns, ElementType type);

// The patterns, of U8, of the numbers nearest to `x` of F32, as EncodeFloat (types/small_floats.h)
// says.
Array EncodeSmallFloat(Array x, ElementType type);

// `x`, of any type that is not small, as the F32 that rounds to a small float type as `x` itself
// would.
Array ForEncoding(Array x, ElementType type);

}  // namespace sinter::expand
