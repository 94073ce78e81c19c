// What a comparison asked for is for a type of elements.
#pragma once

#include "sinter/element_type.h"
#include "sinter/op_options.h"

namespace sinter {

// The order of integers and predicates is total as it is, so that asking for a total order asks for
// nothing else (XLA's Comparison).
inline ComparisonType ComparisonTypeFor(ComparisonType asked, ElementType elements) {
  const bool is_total = IsInteger(elements) || IsPredicate(elements);
  return asked == ComparisonType::kTotalOrder && is_total ? ComparisonType::kDefault : asked;
}

// Whether the order asked for holds between two values. What NaN makes false it makes false here
// too, and kNe true.
template <class T>
bool Holds(ComparisonDirection direction, const T& x, const T& y) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return x == y;
    case ComparisonDirection::kNe:
      return x != y;
    case ComparisonDirection::kGe:
      return x >= y;
    case ComparisonDirection::kGt:
      return x > y;
    case ComparisonDirection::kLe:
      return x <= y;
    case ComparisonDirection::kLt:
      return x < y;
  }
  return false;
}

}  // namespace sinter
