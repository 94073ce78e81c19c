// The arrays (and tokens) that a shape consists of.
#pragma once

#include <vector>

#include "sinter/shape.h"

namespace sinter {

// Appends the leaves of `shape`, depth first; they live as long as it does.
inline void AppendLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(&shape);
    return;
  }
  for (const Shape& s : shape.tuple_shapes()) AppendLeaves(s, leaves);
}
inline std::vector<const Shape*> Leaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  AppendLeaves(shape, leaves);
  return leaves;
}

// The same as copies.
inline void AppendLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  for (const Shape* s : Leaves(shape)) leaves.push_back(*s);
}
inline std::vector<Shape> LeafShapes(const Shape& shape) {
  std::vector<Shape> leaves;
  AppendLeaves(shape, leaves);
  return leaves;
}

}  // namespace sinter
