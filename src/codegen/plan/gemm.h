// When a matrix product is worth packing, and in which blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/product_chain.h"

namespace sinter::plan {

// A product of matrices: batches of result[m, n] = sum over k of lhs[m, k] rhs[k, n], the operands'
// dimensions in any order.
struct MatrixProduct {
  std::vector<int64_t> batch;  // extents of the result's leading dimensions
  int64_t m = 0, n = 0, k = 0;
  // Which dimension of each operand is the batch's, the free one, the contracted one.
  struct Side {
    std::vector<int64_t> batch;
    int64_t free = 0, contracted = 0;
    bool is_free_minor = false;  // whether memory runs along the free one
  };
  Side sides[2];

  int64_t batches() const;
};

// The matrices of a product whose operands are worth packing, because they do not fit into the
// first-level cache. None where the element type is neither a real floating-point type nor an
// integer, or a side has not exactly one free and one contracted dimension.
std::optional<MatrixProduct> PackedProduct(const HloInstruction& dot);

GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const MatrixProduct& product,
                            const CpuMachine& machine, int lanes);

// The blocks of two products of which the second's left operand is made of the first: a few of its
// rows stay in the second-level cache. Both products of a chain are PackedProducts.
void PlanChain(const ProductChain& chain, const HloInstruction& second, const CpuMachine& machine,
               Plan& plan);

}  // namespace sinter::plan
