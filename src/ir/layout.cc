#include "ir/layout.h"

#include <algorithm>
#include <numeric>

namespace sinter {

bool HasLayout(const Shape& s) {
  if (s.is_tuple()) return std::any_of(s.tuple_shapes().begin(), s.tuple_shapes().end(), HasLayout);
  return s.is_array() && !s.has_default_layout();
}

Shape RowMajor(const Shape& s) {
  if (s.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& e : s.tuple_shapes()) elements.push_back(RowMajor(e));
    return Shape::Tuple(std::move(elements));
  }
  Shape out = s;
  out.set_minor_to_major({});
  return out;
}

Dims MinorToMajor(const Shape& s) {
  Dims order = s.minor_to_major();
  if (order.empty()) {
    order.resize(static_cast<size_t>(s.rank()));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return order;
}

Dims MajorToMinor(const Shape& s) {
  Dims order = MinorToMajor(s);
  std::reverse(order.begin(), order.end());
  return order;
}

int64_t MinorDimension(const Shape& shape) {
  int64_t minor = shape.rank() - 1;
  while (minor > 0 && shape.dimension(minor) == 1) --minor;
  return minor;
}

Dims InversePermutation(const Dims& permutation) {
  Dims inverse(permutation.size());
  for (size_t p = 0; p < permutation.size(); ++p)
    inverse[static_cast<size_t>(permutation[p])] = static_cast<int64_t>(p);
  return inverse;
}

}  // namespace sinter
