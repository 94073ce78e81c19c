// Which products of matrices are worth packing.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "ir/module.h"
#include "target/target.h"

namespace sinter {

// Of a Dot, whatever the order of its dimensions: `batch` products of m x k by k x n elements. m
// and n are 0 where there are no elements to multiply.
struct ProductExtents {
  int64_t batch = 1, m = 0, n = 0, k = 1;
};
ProductExtents ExtentsOf(const HloInstruction& dot);

// Whether a product of m x k by k x n elements is worth copying its operands into panels: they do
// not fit into the first-level cache, and each is read several times; or `is_across`, the right
// operand's memory runs along its contracted dimension, so that columns of the result would be read
// from afar.
bool IsWorthPacking(int64_t m, int64_t n, int64_t k, bool is_across);

// The same of words (WordOf) where the machine has tiles for them.
bool IsWorthPackingToTiles(int64_t m, int64_t n, int64_t k);

// Whether the memory of an operand runs along a dimension that is contracted or a batch, so that
// vectors along its free ones would gather their elements.
bool IsReadAcross(const Shape& operand, absl::Span<const int64_t> batch,
                  absl::Span<const int64_t> contracted);

// The same of a Dot, whatever the order of its dimensions; of real numbers only. `machine`, if
// there is one: what it has tiles of words for is worth packing from smaller products on.
bool IsWorthPacking(const HloInstruction& dot, const CpuMachine* machine = nullptr);
bool IsWorthPacking(const HloInstruction& dot, bool is_across);

// Whether a transpose is all that reads a product, so that both are written together.
bool IsTransposed(const HloInstruction& dot);

// Elements of a word of 32 bits that a product could be one of (GemmBlocks::word): 2 of BF16, 4 of
// bytes, else 1.
int WordOf(const HloInstruction& dot);
// Whether a product is one of words for which the machine has tiles.
bool IsOfTiledWords(const HloInstruction& dot, const CpuMachine& machine);

// Whether a product is one of windows, and what they are multiplied by stays in half of a
// second-level cache of so many bytes.
bool HasWindowsOfCached(const HloInstruction& dot, int64_t l2_bytes);

// Whether such a product is not packed however large it is: the features of the array are not among
// the rows, as they are in gradients for a filter; and the machine has no tiles for its words,
// which multiply so much faster that they make up for packing.
bool HasUnpackedWindows(const HloInstruction& dot, const CpuMachine& machine);

}  // namespace sinter
