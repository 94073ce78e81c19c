// Factorisations and solves of many small matrices at once, one in each lane of a vector, compiled
// for each instruction set.
#pragma once

#include <cstdint>

#include "runtime/cpu/matrix_vectors.h"

namespace sinter::runtime::cpu {

// Element e of the matrix in lane l stands at [e * lanes + l]; matrices are row-major.
template <class T>
struct LaneKernels {
  int64_t lanes;
  // `count` elements of each of `matrices` arrays, `stride` apart, into their lanes; those that are
  // left over get the last one's.
  void (*gather)(const T* from, int64_t stride, int64_t matrices, int64_t count, T* to);
  void (*scatter)(const T* from, int64_t stride, int64_t matrices, int64_t count, T* to);
  // The lower factor of the lower triangle, in place, and zeros above; NaN instead in lanes with a
  // pivot that is not positive. With distances of rows and columns as in a MatrixView.
  void (*cholesky)(const MatrixView<T>& a, int64_t n);
  // x of L x = b in the place of b, L the lower triangle of a: b(r, c) for r < n and c < others.
  void (*solve)(const MatrixView<T>& a, bool unit_diagonal, int64_t n, int64_t others,
                const MatrixView<T>& b);
  // As MatrixKernels::lu and qr, of whole matrices [m, n]. `numbers` are the pivots of min(m, n)
  // columns, the order of the m rows that follows, and room for n elements.
  void (*lu)(T* a, int64_t m, int64_t n, T* numbers);
  // `count` of such numbers for each of the matrices.
  void (*scatter_numbers)(const T* from, int64_t matrices, int64_t count, int32_t* to);
  void (*qr)(T* a, int64_t m, int64_t n, T* taus);
  // The first n columns of the product of `count` reflections, whose vectors are below the diagonal
  // of a [m, n].
  void (*product)(const T* a, const T* taus, int64_t m, int64_t n, int64_t count, T* to);
};

template <class T>
LaneKernels<T> LaneKernelsFor(VectorTarget target);
template <>
LaneKernels<float> LaneKernelsFor<float>(VectorTarget target);
template <>
LaneKernels<double> LaneKernelsFor<double>(VectorTarget target);

}  // namespace sinter::runtime::cpu
