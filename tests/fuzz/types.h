// What random programs need to know of element types.
#pragma once

#include "sinter/element_type.h"

namespace sinter::fuzz {

bool IsFloatOrComplex(ElementType type);
// Of a float type, whether one of its values is no number.
bool HasNan(ElementType type);
// Integers of fewer than 8 bits and floats of fewer than 16.
bool IsNarrow(ElementType type);
bool HasInfinity(ElementType type);
// Half a unit in the last place of 1, of parts for complex types.
double EpsilonOf(ElementType type);
// The largest and the least number of a float or integer type (of 64 bits: nearly).
double LargestOf(ElementType type);
double LeastOf(ElementType type);
// Up to which all integers are values of a float type.
double LargestInteger(ElementType type);
// Larger bounds of floats are dropped.
double LargestBound(ElementType type);
// The element nearest to a number within the type's range.
double Nearest(ElementType type, double value);

}  // namespace sinter::fuzz
