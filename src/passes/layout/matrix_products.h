#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Products of arrays become products of matrices, with batches, which kernels pack: where several
// free or contracted dimensions of an operand are no neighbours, the operand is transposed, so that
// they become one; and where memory runs along a batch, so that each of these is in one piece.
// Which operand is the left one and the order of the dimensions are those with the fewest elements
// to move, the transpose of the result that its only user is included: scores of an attention are
// computed as the softmax reads them. Or nothing is moved: free dimensions of one operand become
// batches, over which the other one is broadcast (weights of a resize, keys of grouped heads,
// inputs of several experts); that is then packed for each. What saves a way through memory, on a
// target that chains products, is the order in which one product takes the rows of another one as
// they are. Products of few elements, of complex numbers and of windows stay as they are.
std::unique_ptr<Pass> MakeMatrixProductsPass(const TargetInfo& target);

}  // namespace sinter
