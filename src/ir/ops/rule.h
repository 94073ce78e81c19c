// What shape rules share: errors that state a constraint. InferShape adds the op and the shapes of
// its operands.
#pragma once

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/ops/op.h"

namespace sinter::infer {

// Returns InvalidArgument with the constraint, its label of the StableHLO specification first,
// unless it holds.
#define REQUIRE(condition, ...) \
  if (!(condition)) return ::sinter::InvalidArgument(__VA_ARGS__)

inline bool SameType(const Shape& a, const Shape& b) {
  return a.element_type() == b.element_type() && a.SameDimensions(b);
}

inline Shape WithElementType(Shape s, ElementType t) {
  s.set_element_type(t);
  return s;
}

// The same but for layouts and dynamic flags, which the program may state as it likes.
bool Agree(const Shape& a, const Shape& b);

// Whether a computation that combines elements of `from` may do so in `to`.
inline bool IsPromotable(ElementType from, ElementType to) {
  return Kind(from) == Kind(to) && BitWidth(from) <= BitWidth(to);
}

inline bool InRange(absl::Span<const int64_t> dims, int64_t limit) {
  return std::all_of(dims.begin(), dims.end(), [&](int64_t d) { return 0 <= d && d < limit; });
}
inline bool IsUnique(Dims dims) {
  std::sort(dims.begin(), dims.end());
  return std::adjacent_find(dims.begin(), dims.end()) == dims.end();
}

inline Dims Concatenated(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string Text(absl::Span<const int64_t> dims) {
  return Format("{{{}}}", Join(dims, ","));
}

// A shape with the sizes checked (a result can be larger than its operands).
absl::StatusOr<Shape> MakeResult(ElementType t, absl::Span<const int64_t> dims);

}  // namespace sinter::infer
