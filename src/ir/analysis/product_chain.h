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

// The product that `rows` are made of row by row, where it is the only one and has one free and one
// contracted dimension an operand; else null.
const HloInstruction* ProductOfRows(const HloInstruction& rows);

// A product that takes rows, each made of one of a given array, and has so many columns for each.
struct RowReader {
  const HloInstruction* product = nullptr;
  int64_t columns = 0;
};
// One of those where the elements of each row are added up; nothing where there is none.
std::optional<RowReader> ReaderOfRows(const HloInstruction& x);

// Whether a product of m x k by k x n is worth being one of a chain with rows of so many elements,
// whatever else is too small for packing.
bool IsWorthChaining(int64_t m, int64_t n, int64_t k, int64_t row);

// Whether so many rows of `row` elements, each a sum of `depth` products, stay in a cache between a
// first product and a second one of so many columns; and are enough to read the right operands
// for, as each task does.
bool FitsChain(int64_t rows, int64_t row, int64_t depth, int64_t columns);

}  // namespace sinter
