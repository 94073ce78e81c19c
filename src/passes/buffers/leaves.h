// The arrays that a shape consists of.
#pragma once

#include <vector>

#include "sinter/shape.h"

namespace sinter {

inline void AppendLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(shape);
    return;
  }
  for (const Shape& s : shape.tuple_shapes()) AppendLeaves(s, leaves);
}
inline std::vector<Shape> Leaves(const Shape& shape) {
  std::vector<Shape> leaves;
  AppendLeaves(shape, leaves);
  return leaves;
}

}  // namespace sinter
