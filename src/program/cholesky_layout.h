// How a library call "cholesky" is written down, for the compiler and the kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "program/sort_layout.h"

namespace sinter::program {

// Factors of `batch` matrices [n, n] of F32 or F64, row-major: L of L L^T from the lower triangles,
// or U of U^T U from the upper ones; the other triangle is zero. A matrix with a pivot that is not
// positive becomes NaN. Buffers: the matrices, the factors, scratch memory.
struct CholeskyLayout {
  int64_t batch = 1, n = 0;
  bool wide = false;  // F64
  bool lower = true;

  // Columns of a block: two of the longest vectors.
  int64_t Columns() const { return wide ? 16 : 32; }
  int64_t MatrixBytes() const { return n * n * (wide ? 8 : 4); }
  // Of a matrix at work: the rows of a block's columns turned, its triangle and the reciprocals of
  // its diagonal.
  int64_t SlotBytes() const {
    return WholeLines((n + Columns() + 1) * Columns() * (wide ? 8 : 4)) + 64;
  }
  int64_t Slots() const { return SlotsFor(batch, SlotBytes()); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes(); }

  std::vector<int64_t> ToDims() const { return {batch, n, wide ? 1 : 0, lower ? 1 : 0}; }
  static CholeskyLayout FromDims(absl::Span<const int64_t> dims) {
    return {dims[0], dims[1], dims[2] != 0, dims[3] != 0};
  }
};

}  // namespace sinter::program
