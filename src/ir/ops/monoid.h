// Operations of two values that may be grouped and exchanged.
#pragma once

#include "ir/ops/op.h"

namespace sinter {

// Whether many values give the same, but for rounding, in whatever order and grouping the operation
// combines them.
constexpr bool IsMonoid(HloOpcode op) {
  switch (op) {
    case HloOpcode::Add:
    case HloOpcode::Multiply:
    case HloOpcode::Minimum:
    case HloOpcode::Maximum:
    case HloOpcode::And:
    case HloOpcode::Or:
    case HloOpcode::Xor:
      return true;
    default:
      return false;
  }
}

}  // namespace sinter
