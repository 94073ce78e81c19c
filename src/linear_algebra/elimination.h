// Gaussian elimination, Cholesky's method and substitution.
#pragma once

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// P a = L U with exchange of rows (getrf): row i was exchanged with row pivots[i], from 1. The
// number, from 1, of the first pivot that is 0, or 0.
template <class T>
int32_t FactorLu(const Matrix<T>& a, int32_t* pivots, const Threads& threads);

// The lower factor L of a = L L^H or the upper one U of a = U^H U, in the triangle of a that is
// read; the other stays (potrf). The number, from 1, of the first pivot that is not positive, or 0.
template <class T>
int32_t FactorCholesky(const Matrix<T>& a, bool upper, const Threads& threads);

enum class Transposition { kNone, kTranspose, kAdjoint };

// x of op(a) x = b or x op(a) = b in the place of b; a is a triangle (trsm).
template <class T>
void SolveTriangle(const Matrix<T>& a, bool left, bool upper, Transposition op, bool unit_diagonal,
                   const Matrix<T>& b, const Threads& threads);

// Solves a tridiagonal system of n rows (gtsv): `below` and `above` have n - 1 elements, `x` holds
// the right-hand sides and becomes the solutions. `below` becomes the second diagonal above, the
// others are those of the triangle. The number, from 1, of the first pivot that is 0, or 0.
template <class T>
int32_t SolveTridiagonal(T* below, T* diagonal, T* above, const Matrix<T>& x);

}  // namespace sinter::linear_algebra
