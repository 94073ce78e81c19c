// Symmetric and Hermitian matrices. G. Golub and C. Van Loan, Matrix Computations, chapter 8.
#pragma once

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// Q^H a Q = the real tridiagonal matrix of `diagonal` [n] and `beside` [n - 1]. Only the lower or
// the upper triangle is read, and holds the reflections of which Q is made afterwards, with `taus`
// [n - 1], as sytrd and hetrd have them.
template <class T>
void Tridiagonalise(const Matrix<T>& a, bool upper, RealOf<T>* diagonal, RealOf<T>* beside,
                    T* taus);

// The eigenvalues, ascending, and with `vectors` the orthonormal eigenvectors in the place of a.
// 0, or the number of elements beside the diagonal that have not become negligible; n - 1, all
// results being NaN, where an element is not finite (syevd, heevd).
template <class T>
int32_t SymmetricEigenvalues(const Matrix<T>& a, bool upper, bool vectors, RealOf<T>* values,
                             const Threads& threads);

}  // namespace sinter::linear_algebra
