// Products whose left operand is made of another product, row by row: attention, and what has its
// form.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

namespace sinter {

// second = rows(first) times a matrix: each row of the left operand is computed of the same row of
// `first`, by operations on elements and reductions of the whole row. A block of rows of the first
// product can stay in a cache then until the second has used it.
struct ProductChain {
  const HloInstruction* first = nullptr;
  // `first`, and what leads from it to the second product, which is not among them.
  absl::flat_hash_set<const HloInstruction*> members;
  // Those that reduce rows, in order: operands before users.
  std::vector<const HloInstruction*> reductions;
};

// Nothing where `second` has no such operand, something else needs a value on the way, or one of
// the products is not worth packing or too large: rows of the first must stay in a cache.
std::optional<ProductChain> ProductChainOf(const HloInstruction& second);

}  // namespace sinter
