#include "ir/analysis/short_dimensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "sinter/element_type.h"

namespace sinter {
namespace {

// Of short dimensions: each, and together. A native vector has 16 elements: from half of that on,
// rows fill it well enough. Together more, where none of them is longer: one that stays behind
// would be what vectors run along (powers of tensors: 64 of 4 x 4 x 4 x 4).
constexpr int64_t kShort = 16, kShortTogether = 64, kHalfVector = 8, kHalvesTogether = 1024;

// Rows that are several times as many as a row is long fill vectors better than it does, few as
// they are (a loop with norms of 59 x 3 and of its columns: 0.78 to 0.20 ms).
constexpr int64_t kFewRows = 16;

}  // namespace

int ShortDimensions(const Shape& shape) {
  if (!shape.is_array() || shape.rank() < 2 || BitWidth(shape.element_type()) < 8) return 0;
  int64_t first = shape.rank(), together = 1, longest = 1;
  while (first > 1) {
    const int64_t n = shape.dimension(first - 1);
    longest = std::max(longest, n);
    if (n < 1 || n > kShort ||
        together * n > (longest <= kHalfVector ? kHalvesTogether : kShortTogether))
      break;
    together *= n;
    --first;
  }
  int64_t rows = 1;
  for (int64_t d = 0; d < first; ++d) rows *= shape.dimension(d);
  if (rows < std::min(kFewestRows, std::max(kFewRows, 4 * longest))) return 0;
  return static_cast<int>(shape.rank() - first);
}

bool IsPositionInWindow(const HloInstruction& x, int64_t d) {
  std::vector<std::pair<const HloInstruction*, int64_t>> stack{{&x, d}};
  absl::flat_hash_set<std::pair<const HloInstruction*, int64_t>> seen{stack[0]};
  auto visit = [&](const HloInstruction* i, int64_t dimension) {
    if (seen.insert({i, dimension}).second) stack.emplace_back(i, dimension);
  };
  while (!stack.empty()) {
    const auto [i, at] = stack.back();
    stack.pop_back();
    if (i->op() == HloOpcode::Windows) {
      if (at >= i->operand(0)->shape().rank()) return true;
    } else if (i->op() == HloOpcode::Broadcast) {
      const auto from = absl::c_find(i->dimensions(), at);
      if (from != i->dimensions().end()) visit(i->operand(0), from - i->dimensions().begin());
    } else if (IsElementwise(i->op())) {
      for (const HloInstruction* o : i->operands())
        if (o->shape().dimensions() == i->shape().dimensions()) visit(o, at);
    }
  }
  return false;
}

}  // namespace sinter
