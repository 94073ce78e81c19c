// Householder reflections I - tau v v^H and products of them, as LAPACK stores them: v without its
// first element, which is 1. G. Golub and C. Van Loan, Matrix Computations, chapter 5.
#pragma once

#include "linear_algebra/inner_loops.h"
#include "linear_algebra/matrix.h"

namespace sinter::linear_algebra {

// The reflection H with H^H (x[0], ..., x[n - 1]) = (beta, 0, ..., 0), beta real: x becomes (beta,
// v) and tau is returned, 0 where there is nothing to reflect.
template <class T>
T MakeReflection(T* x, int64_t n);

// H a, or H^H a with Conj(tau); `v` has its 1.
template <class T>
void ReflectRows(const T* v, T tau, const Matrix<T>& a, const Threads& threads = {});
// a H. `scratch` has a.rows elements.
template <class T>
void ReflectColumns(const T* v, T tau, const Matrix<T>& a, T* scratch);

// Q R of a, min(rows, columns) reflections (geqrf).
template <class T>
void FactorQr(const Matrix<T>& a, T* taus, const Threads& threads);
// The same of a whose columns are exchanged so that the largest comes first (geqp3). Columns whose
// pivot is not 0 come first, unpivoted; pivots count from 1.
template <class T>
void FactorPivotedQr(const Matrix<T>& a, int32_t* pivots, T* taus, const Threads& threads);
// The first a.columns columns of the product of `count` reflections in a's columns, in their place
// (orgqr).
template <class T>
void MakeUnitary(const Matrix<T>& a, const T* taus, int64_t count, const Threads& threads);
// c becomes q c or c q, or with q^H; q is the product of `count` reflections in the columns of v
// (ormqr).
template <class T>
void ApplyReflections(const Matrix<T>& v, const T* taus, int64_t count, bool left, bool adjoint,
                      const Matrix<T>& c, const Threads& threads);

}  // namespace sinter::linear_algebra
