#include "ir/analysis/short_dimensions.h"

#include "sinter/element_type.h"

namespace sinter {
namespace {

// Of short dimensions: each, and together. A native vector has 16 elements: from half of that on,
// rows fill it well enough.
constexpr int64_t kShort = 16, kShortTogether = 64;

}  // namespace

int ShortDimensions(const Shape& shape) {
  if (!shape.is_array() || shape.rank() < 2 || BitWidth(shape.element_type()) < 8) return 0;
  int64_t first = shape.rank(), together = 1;
  while (first > 1) {
    const int64_t n = shape.dimension(first - 1);
    if (n < 1 || n > kShort || together * n > kShortTogether) break;
    together *= n;
    --first;
  }
  int64_t rows = 1;
  for (int64_t d = 0; d < first; ++d) rows *= shape.dimension(d);
  if (rows < kFewestRows) return 0;
  return static_cast<int>(shape.rank() - first);
}

}  // namespace sinter
