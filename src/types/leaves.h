// The arrays (and tokens) that a shape or a literal consists of, and the parts of tuples.
#pragma once

#include <vector>

#include "sinter/literal.h"
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

inline size_t LeafCount(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  size_t count = 0;
  for (const Shape& s : shape.tuple_shapes()) count += LeafCount(s);
  return count;
}

// The number of the first leaf of each shape among those of all, and behind it their count.
inline std::vector<size_t> FirstLeaves(const std::vector<Shape>& shapes) {
  std::vector<size_t> first{0};
  for (const Shape& s : shapes) first.push_back(first.back() + LeafCount(s));
  return first;
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

// The shape at an index into tuples, or null where there is none.
inline const Shape* Subshape(const Shape& shape, const std::vector<int64_t>& index) {
  const Shape* s = &shape;
  for (int64_t i : index) {
    if (i < 0 || i >= static_cast<int64_t>(s->tuple_shapes().size())) return nullptr;
    s = &s->tuple_shapes()[static_cast<size_t>(i)];
  }
  return s;
}

// The leaves of a literal, depth first; they live as long as it does.
inline void AppendLeaves(const Literal& literal, std::vector<const Literal*>& leaves) {
  if (!literal.shape().is_tuple()) return leaves.push_back(&literal);
  for (const Literal& element : literal.tuple()) AppendLeaves(element, leaves);
}
inline void AppendLeaves(Literal& literal, std::vector<Literal*>& leaves) {
  if (!literal.shape().is_tuple()) return leaves.push_back(&literal);
  for (Literal& element : literal.mutable_tuple()) AppendLeaves(element, leaves);
}

}  // namespace sinter
