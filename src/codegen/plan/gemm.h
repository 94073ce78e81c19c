// When a matrix product is worth packing, and in which blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/product_chain.h"

namespace sinter::plan {

// A product of matrices: batches of result[m, n] = sum over k of lhs[m, k] rhs[k, n]. m and k each
// number the elements of one dimension or of several, the last one fastest; the operands'
// dimensions are in any order.
struct MatrixProduct {
  std::vector<int64_t> batch;  // extents of the result's leading dimensions
  int64_t m = 0, n = 0, k = 0;
  std::vector<int64_t> rows, depth;  // the extents that m and k are made of
  // Which dimensions of each operand are the batch's, the free ones, the contracted ones.
  struct Side {
    std::vector<int64_t> batch, free, contracted;
    bool is_free_minor = false;  // whether memory runs along a free one
  };
  Side sides[2];

  int64_t batches() const;
  // Elements of the contracted axis that follow one another along one dimension.
  int64_t run() const { return depth.back(); }
  // Whether memory runs along the last of several free dimensions of the left operand, in which the
  // rows of a register tile have to lie: gradients of a convolution for its filter.
  bool has_tiled_rows() const { return rows.size() > 1 && sides[0].is_free_minor; }
  // Whether vectors of an operand lie along the contracted axis.
  bool has_vectors_in_depth() const { return !sides[0].is_free_minor || !sides[1].is_free_minor; }
};

// The matrices of a product whose operands are worth packing, because they do not fit into the
// first-level cache. None where the element type is neither a real floating-point type nor an
// integer; where the right operand has not exactly one free dimension, or the left one has several
// and memory runs along one that is not the last or no register tiles lie in; or where vectors are
// to lie along several contracted dimensions of which none that is long enough is the minor one of
// the operands.
std::optional<MatrixProduct> PackedProduct(const HloInstruction& dot, const CpuMachine& machine);
// The same of any product of matrices, whether it is worth packing or not.
std::optional<MatrixProduct> MatrixProductOf(const HloInstruction& dot);

// Whether a product is one of words for which the machine has tiles. Where memory runs along the
// rows of the left operand, a tile of it has to lie in one dimension each of its rows and of its
// columns.
bool SuitsTiles(const HloInstruction& dot, const MatrixProduct& product, const CpuMachine& machine);

GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const MatrixProduct& product,
                            const CpuMachine& machine, int lanes);

// Reads the operands of a product of few rows and columns as they are, if memory runs along these
// in both and nothing is computed of them: in slices of so few elements of the contracted axis that
// what all tiles read of one stays in a near cache. Packing would take half as long as the product.
void ReadInPlace(const HloInstruction& dot, const MatrixProduct& product, const CpuMachine& machine,
                 GemmBlocks& g);

// The blocks of two products of which the second's left operand is made of the first: a few of its
// rows stay in the second-level cache. Both products of a chain are PackedProducts.
void PlanChain(const ProductChain& chain, const HloInstruction& second, const CpuMachine& machine,
               Plan& plan);

}  // namespace sinter::plan
