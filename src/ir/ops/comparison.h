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

}  // namespace sinter
