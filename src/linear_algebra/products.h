// Products of matrices, tile by tile in registers, compiled for each instruction set.
#pragma once

#include "linear_algebra/matrix.h"

namespace sinter::linear_algebra {

// c -= a b. Blocks of one matrix may be given that do not overlap.
template <class T>
void SubtractProduct(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c);

}  // namespace sinter::linear_algebra
