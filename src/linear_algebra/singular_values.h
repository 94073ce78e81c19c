// Singular values. G. Golub and C. Van Loan, Matrix Computations, 8.6.
#pragma once

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// a = u diag(values) v^H, the values descending. u has all columns or the first min(rows, columns),
// so does `adjoint_v` rows; without elements they are not computed. a is destroyed. 0, or the
// number of elements beside the diagonal that have not become negligible; -4, all results being
// NaN, where an element is not finite (gesdd).
template <class T>
int32_t SingularValues(const Matrix<T>& a, RealOf<T>* values, const Matrix<T>* u,
                       const Matrix<T>* adjoint_v, const Threads& threads);

}  // namespace sinter::linear_algebra
