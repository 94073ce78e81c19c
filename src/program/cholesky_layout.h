// How a library call "cholesky" is written down, for the compiler and the kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "program/matrix_layouts.h"

namespace sinter::program {

// Factors of `batch` matrices [n, n] of F32 or F64, row-major: L of L L^T from the lower triangles,
// or U of U^T U from the upper ones; the other triangle is zero. The factor of a matrix with a
// pivot that is not positive is NaN. Buffers: the matrices, the factors, scratch memory.
struct CholeskyLayout : MatrixLayout {
  int64_t n = 0;
  bool lower = true;

  int64_t MatrixBytes() const { return n * n * ElementBytes(); }
  bool IsInLanes() const { return MatrixLayout::IsInLanes(n); }
  // Of a matrix at work: the rows of a block's columns turned, its triangle and the reciprocals of
  // its diagonal. In lanes: the matrices.
  int64_t SlotBytes() const {
    return IsInLanes() ? n * n * kLaneBytes : (n + PanelColumns() + 1) * kPanelBytes + 64;
  }
  int64_t Slots() const { return SlotsFor(IsInLanes() ? Groups() : batch, SlotBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes(); }

  std::vector<int64_t> ToDims() const { return {batch, wide ? 1 : 0, threads, n, lower ? 1 : 0}; }
  static constexpr size_t kDims = 5;
  static CholeskyLayout FromDims(absl::Span<const int64_t> dims) {
    return {{dims[0], dims[1] != 0, dims[2]}, dims[3], dims[4] != 0};
  }
};

}  // namespace sinter::program
