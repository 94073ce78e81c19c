// How a library call "sort" is written down, for the compiler that makes it and the kernel that
// reads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace sinter::program {

// Rows of `extent` elements, `inner` apart, in arrays [outer, extent, inner]. Buffers: the
// operands, the results, scratch memory. With a stage, that is the comparator: its buffers are the
// two elements of each operand, side by side, and a byte for the answer. Without one, operand 0
// holds unsigned integers, which sort ascending. Sorts are stable.
struct SortLayout {
  int64_t outer = 1, extent = 0, inner = 1;
  bool has_comparator = false;
  std::vector<int64_t> widths;  // bytes of an element of each operand

  int64_t rows() const { return outer * inner; }
  // Scratch memory for one row: two lists of positions, or of keys and (but where keys are alone)
  // positions.
  int64_t RowBytes() const {
    int64_t entry = has_comparator ? 4 : widths.size() == 1 ? widths[0] : widths[0] == 8 ? 16 : 8;
    return (2 * extent * entry + 63) / 64 * 64;
  }
  // Rows that are sorted side by side: as many as a large machine has threads, in bounded memory.
  int64_t Slots() const {
    constexpr int64_t kMost = 64, kBytes = int64_t{64} << 20;
    return std::clamp<int64_t>(kBytes / std::max<int64_t>(RowBytes(), 1), 1,
                               std::clamp<int64_t>(rows(), 1, kMost));
  }
  int64_t ScratchBytes() const { return Slots() * RowBytes(); }

  std::vector<int64_t> ToDims() const {
    std::vector<int64_t> dims{outer, extent, inner, static_cast<int64_t>(widths.size())};
    dims.insert(dims.end(), widths.begin(), widths.end());
    return dims;
  }
  static SortLayout FromDims(const int64_t* dims, bool has_comparator) {
    return {dims[0], dims[1], dims[2], has_comparator,
            std::vector<int64_t>(dims + 4, dims + 4 + dims[3])};
  }
};

}  // namespace sinter::program
