// The inner parts of factorisations and triangular solves, compiled for each instruction set. They
// work on panels: rows of as many columns as two of a target's vectors have elements, row after
// row.
#pragma once

#include <cstdint>

#include "base/vector_targets.h"

namespace sinter::runtime::cpu {

// Where element (r, c) of a matrix is: at[r * row + c * column].
template <class T>
struct MatrixView {
  const T* at;
  int64_t row, column;
};

template <class T>
struct MatrixKernels {
  int64_t columns;  // of a panel
  // panel[r][c] = a(r, c) for r < rows and c < count; zero for c from `count` to `columns`.
  void (*pack)(const MatrixView<T>& a, int64_t rows, int64_t count, T* panel);
  // The way back: a's elements are written.
  void (*unpack)(const T* panel, int64_t rows, int64_t count, const MatrixView<T>& a);
  // to[r][c] -= the sum over k < depth of left(r, k) panel[k][c], for r < rows and all of a panel's
  // columns; `stride` is the distance of rows of `to`.
  void (*subtract)(const MatrixView<T>& left, int64_t rows, int64_t depth, const T* panel, T* to,
                   int64_t stride);
  // panel becomes x of L x = panel, L the lower triangle [rows, rows] of `left`.
  void (*solve)(const MatrixView<T>& left, bool unit_diagonal, int64_t rows, T* panel);
  // L U of `count` columns, the other ones are left; pivots[c] is the row, c or a later one, that
  // is exchanged with row c: the first of the largest elements, c where that is a NaN. At most
  // `rows` pivots.
  void (*lu)(T* panel, int64_t rows, int64_t count, int32_t* pivots);
  // Householder reflections I - tau v v^T of `count` columns, at most `rows`: R on and above the
  // diagonal, below it v, whose element on the diagonal is 1. The diagonal of R has the other sign
  // than the column's element (LAPACK's geqrf); tau is 0 where nothing is left to reflect.
  void (*qr)(T* panel, int64_t rows, int64_t count, T* taus);
  // The same of a matrix whose columns stand one after another, `rows` elements each: of few
  // columns, which would fill little of a panel.
  void (*qr_of_columns)(T* columns, int64_t rows, int64_t count, T* taus);
  // The first `count` columns of the product of so many of these reflections.
  void (*product_of_columns)(const T* columns, const T* taus, int64_t rows, int64_t count,
                             int64_t reflections, T* to);
};

template <class T>
MatrixKernels<T> MatrixKernelsFor(VectorTarget target);
template <>
MatrixKernels<float> MatrixKernelsFor<float>(VectorTarget target);
template <>
MatrixKernels<double> MatrixKernelsFor<double>(VectorTarget target);

}  // namespace sinter::runtime::cpu
