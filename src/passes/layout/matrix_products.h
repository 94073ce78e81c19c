#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Products of arrays become products of matrices, with batches, which kernels pack: where several
// free or contracted dimensions of an operand are no neighbours, the operand is transposed, so that
// they become one; and where memory runs along a batch, so that each of these is in one piece.
// Which operand is the left one and the order of the dimensions are those with the fewest elements
// to move, the transpose of the result that its only user is included: scores of an attention are
// computed as the softmax reads them. Products of few elements, of complex numbers and of windows
// stay as they are.
std::unique_ptr<Pass> MakeMatrixProductsPass();

}  // namespace sinter
