// How library calls "triangular-solve", "lu", "qr" and "householder-product" are written down, for
// the compiler and the kernels. Matrices are row-major, of F32 or F64.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "program/slots.h"

namespace sinter::program {

// What the calls share: arrays are packed into panels of as many columns as two of the longest
// vectors have elements.
struct MatrixLayout {
  static constexpr int64_t kPanelBytes = 128;
  int64_t batch = 1;
  bool wide = false;               // F64
  int64_t threads = kMostThreads;  // that there is scratch memory for

  int64_t ElementBytes() const { return wide ? 8 : 4; }
  int64_t PanelColumns() const { return kPanelBytes / ElementBytes(); }
  int64_t Panels(int64_t columns) const { return (columns + PanelColumns() - 1) / PanelColumns(); }

  // Many small matrices are worked on one in each lane of a vector; `most` is their longest side.
  static constexpr int64_t kLaneBytes = 64;  // of the longest vector
  bool IsInLanes(int64_t most) const {
    constexpr int64_t kLeastBatch = 8, kMost = 32;
    return batch >= kLeastBatch && most <= kMost;
  }
  int64_t Groups() const {
    const int64_t lanes = kLaneBytes / ElementBytes();
    return (batch + lanes - 1) / lanes;
  }
};

// x of M x = b (left) or M x^T = b^T (right), by substitution: M [n, n] is a triangle, the rest of
// which is not read, b and x are [n, others] (left) or [others, n] (right). Buffers: M, b, x,
// scratch memory.
struct TriangularSolveLayout : MatrixLayout {
  int64_t n = 0, others = 0;
  bool left = true, lower = true;
  bool unit_diagonal = false;

  bool IsInLanes() const { return MatrixLayout::IsInLanes(std::max(n, others)); }
  int64_t Tasks() const { return IsInLanes() ? Groups() : batch * Panels(others); }
  int64_t SlotBytes() const {
    return IsInLanes() ? n * (n + others) * kLaneBytes : std::max<int64_t>(n, 1) * kPanelBytes;
  }
  int64_t Slots() const { return SlotsFor(Tasks(), SlotBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes(); }
  std::vector<int64_t> ToDims() const {
    return {batch,  wide ? 1 : 0, threads,       n,
            others, left ? 1 : 0, lower ? 1 : 0, unit_diagonal ? 1 : 0};
  }
  static constexpr size_t kDims = 8;
  static TriangularSolveLayout FromDims(absl::Span<const int64_t> d) {
    return {{d[0], d[1] != 0, d[2]}, d[3], d[4], d[5] != 0, d[6] != 0, d[7] != 0};
  }
};

// P L U of matrices [m, n]: ir/decomposition_call.h says what the results are. Buffers: the
// matrices, the factors [m, n], the rows exchanged S32[min(m, n)], the permutation S32[m], scratch
// memory.
struct LuLayout : MatrixLayout {
  int64_t m = 0, n = 0;

  int64_t Least() const { return std::min(m, n); }
  bool IsInLanes() const { return MatrixLayout::IsInLanes(std::max(m, n)); }
  // Columns that are factored by one thread, while others use the ones before.
  int64_t Block() const { return std::min<int64_t>(128, Least()); }
  // Of a matrix at work: the panel that is factored, and what is right of a block in panels; and
  // one more of these within a block. In lanes: the matrices, the rows that they exchange, their
  // order, and a row.
  int64_t SlotBytes() const {
    return IsInLanes() ? (m * n + Least() + m + n) * kLaneBytes
                       : (m + Block() * (Panels(n) + 2)) * kPanelBytes;
  }
  int64_t Slots() const { return SlotsFor(IsInLanes() ? Groups() : batch, SlotBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes(); }
  std::vector<int64_t> ToDims() const { return {batch, wide ? 1 : 0, threads, m, n}; }
  static constexpr size_t kDims = 5;
  static LuLayout FromDims(absl::Span<const int64_t> d) {
    return {{d[0], d[1] != 0, d[2]}, d[3], d[4]};
  }
};

// Householder reflections of matrices [m, n]: of "qr" those that make them triangular, of
// "householder-product" the product of `count` of them. Buffers of "qr": the matrices, R and the
// reflections [m, n], their factors [count]; of "householder-product": the reflections [m, n],
// their factors [count], the product [m, n]; then scratch memory.
struct ReflectionsLayout : MatrixLayout {
  int64_t m = 0, n = 0, count = 0;

  // Of a matrix at work: the reflections of two panels, since those of the next one are found while
  // the ones before are applied; and, for each thread, a panel that they are applied to.
  int64_t SharedBytes() const { return 2 * (m + 2 * PanelColumns()) * kPanelBytes; }
  int64_t SeatBytes() const { return (m + 2 * PanelColumns()) * kPanelBytes; }
  int64_t Seats() const { return batch > 1 ? 1 : SlotsFor(Panels(n), SeatBytes(), threads); }
  // So few that they would fill little of a panel.
  bool HasFewColumns() const { return 2 * n <= PanelColumns(); }
  bool IsInLanes() const {
    constexpr int64_t kMostElements = 16384;
    const bool is_tall = HasFewColumns() && m * n <= kMostElements;
    return MatrixLayout::IsInLanes(is_tall ? n : std::max(m, n));
  }
  // In lanes: the reflections, their factors and the product.
  int64_t SlotBytes() const {
    return IsInLanes() ? (2 * m * n + count) * kLaneBytes : SharedBytes() + Seats() * SeatBytes();
  }
  int64_t Slots() const { return SlotsFor(IsInLanes() ? Groups() : batch, SlotBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes(); }
  std::vector<int64_t> ToDims() const { return {batch, wide ? 1 : 0, threads, m, n, count}; }
  static constexpr size_t kDims = 6;
  static ReflectionsLayout FromDims(absl::Span<const int64_t> d) {
    return {{d[0], d[1] != 0, d[2]}, d[3], d[4], d[5]};
  }
};

}  // namespace sinter::program
