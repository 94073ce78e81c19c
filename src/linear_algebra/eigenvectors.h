// Eigenvalues, eigenvectors and Schur forms of any square matrices.
#pragma once

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// The eigenvalues, and the vectors of length 1 with left^H a = diag(values) left^H and
// a right = right diag(values) where there are such matrices; each vector's largest element is real
// unless its value is real. a is destroyed. 0, or the number of eigenvalues, from the first on,
// that are not known, and no vectors; -4 where an element is not finite (geev).
template <class T>
int32_t Eigenvalues(const Matrix<T>& a, std::complex<RealOf<T>>* values,
                    const Matrix<std::complex<RealOf<T>>>* left,
                    const Matrix<std::complex<RealOf<T>>>* right, const Threads& threads);

// a = z t z^H; t takes the place of a, the unitary z is computed where there is such a matrix
// (gees). 0, or the number of eigenvalues that are not known; all results are NaN where an element
// is not finite.
template <class T>
int32_t SchurForm(const Matrix<T>& a, const Matrix<T>* z, std::complex<RealOf<T>>* values,
                  const Threads& threads);

}  // namespace sinter::linear_algebra
