#include "passes/layout/short_dimensions.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace sinter::layout {
namespace {

int64_t Product(const Shape& shape, int64_t from, int64_t to) {
  int64_t n = 1;
  for (int64_t d = from; d < to; ++d) n *= shape.dimension(d);
  return n;
}

}  // namespace

Dims Rotation::Of(const Dims& list) const {
  Dims out(list.size());
  for (int64_t d = 0; d < rank; ++d) out[static_cast<size_t>(To(d))] = list[static_cast<size_t>(d)];
  return out;
}
Dims Rotation::Permutation() const {
  Dims out(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) out[static_cast<size_t>(To(d))] = d;
  return out;
}
Dims Rotation::Inverse() const {
  Dims out;
  for (int64_t d = 0; d < rank; ++d) out.push_back(To(d));
  return out;
}

bool ReshapesApart(const Shape& from, int k, const Shape& to, int l) {
  return Product(from, from.rank() - k, from.rank()) == Product(to, to.rank() - l, to.rank());
}

bool WorksOnShortDimensions(const HloInstruction& i) {
  const Shape& from = i.operands().empty() ? i.shape() : i.operand(0)->shape();
  auto is_short = [](const Shape& shape, int64_t d) {
    return d >= shape.rank() - ShortDimensions(shape) && shape.dimension(d) > 1;
  };
  switch (i.op()) {
    case HloOpcode::Slice:
    case HloOpcode::DynamicSlice:
    case HloOpcode::Pad:
      for (int64_t d = 0; d < from.rank(); ++d) {
        const bool differ = from.dimension(d) != i.shape().dimension(d);
        if (differ && (is_short(from, d) || is_short(i.shape(), d))) return true;
      }
      return false;
    case HloOpcode::DynamicUpdateSlice:
      for (int64_t d = 0; d < from.rank(); ++d)
        if (is_short(from, d) && i.operand(1)->shape().dimension(d) != from.dimension(d))
          return true;
      return false;
    case HloOpcode::Concatenate:
      return is_short(i.shape(), i.dimensions()[0]);
    case HloOpcode::Reduce: {
      // More than that stay a loop, which as well goes along rows of half a vector.
      int64_t reduced = 1;
      for (int64_t d : i.dimensions())
        if (is_short(from, d)) reduced *= from.dimension(d);
      return reduced > 1 && reduced <= kMostReduced;
    }
    case HloOpcode::Reverse:
      return absl::c_any_of(i.dimensions(), [&](int64_t d) { return is_short(from, d); });
    case HloOpcode::Iota:
      return is_short(i.shape(), i.attrs<IotaAttrs>().iota_dimension);
    case HloOpcode::Broadcast:
      // Of a scalar, all elements are the same; else some dimension is added or moved.
      if (from.rank() == 0) return false;
      for (int64_t d = 0; d < i.shape().rank(); ++d) {
        if (!is_short(i.shape(), d)) continue;
        const auto at = absl::c_find(i.dimensions(), d) - i.dimensions().begin();
        if (at == static_cast<int64_t>(i.dimensions().size()) || from.dimension(at) == 1)
          return true;
      }
      return false;
    case HloOpcode::Transpose:
      return ShortDimensions(i.shape()) > 0;
    default:
      return false;
  }
}

}  // namespace sinter::layout
