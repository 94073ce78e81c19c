// The inner parts of Cholesky factorisations, compiled for each instruction set. Blocks have as
// many columns as two of a target's vectors.
#pragma once

#include <cstdint>

#include "base/vector_targets.h"

namespace sinter::runtime::cpu {

// `stride` is the distance of rows in numbers of T.
template <class T>
struct CholeskyKernels {
  int64_t columns;  // of a block
  int64_t rows;     // that `below` takes at a time: a vector's lanes
  // turned[k][c] = rows[c][k] for k < depth and c < count; zero for c from count to `columns`.
  void (*turn)(const T* rows, int64_t stride, int64_t count, int64_t depth, T* turned);
  // triangle[r][c] for r, c < count: the lower factor of a[r][c] minus the sum over k < depth of
  // left[r][k] left[c][k], where `turned` is `left` turned, and behind it what extends it to
  // `columns` rows by ones on the diagonal. False if a pivot is not positive.
  bool (*diagonal)(const T* a, const T* left, int64_t stride, int64_t count, int64_t depth,
                   const T* turned, T* triangle);
  // The same `count` columns of the factor in `rows` rows below: a minus left times turned, then
  // solved with the triangle. Written in the place of a.
  void (*below)(T* a, const T* left, int64_t stride, int64_t rows, int64_t count, int64_t depth,
                const T* turned, const T* triangle);
};

template <class T>
CholeskyKernels<T> CholeskyKernelsFor(VectorTarget target);
template <>
CholeskyKernels<float> CholeskyKernelsFor<float>(VectorTarget target);
template <>
CholeskyKernels<double> CholeskyKernelsFor<double>(VectorTarget target);

}  // namespace sinter::runtime::cpu
