// How library calls "sort" and "top-k" are written down, for the compiler that makes them and the
// kernels that read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::program {

// Calls that are worked on side by side, each in scratch memory of its own: as many as a large
// machine has threads, in bounded memory.
inline int64_t SlotsFor(int64_t calls, int64_t bytes) {
  constexpr int64_t kMost = 64, kBytes = int64_t{64} << 20;
  return std::clamp<int64_t>(kBytes / std::max<int64_t>(bytes, 1), 1,
                             std::clamp<int64_t>(calls, 1, kMost));
}
inline int64_t WholeLines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// `rows` rows of `extent` elements, one after the other; or of `inner` rows each, side by side: the
// next element of a row is `inner` elements further on, which short rows only have. Buffers: the
// operands, the results, scratch memory. With a stage, that is the comparator: its buffers are the
// two elements of each operand, side by side, and a byte for the answer. Without one, operand 0 is
// sorted by `order`; of several it holds unsigned integers, which sort ascending. Sorts are stable.
struct SortLayout {
  // kMerged is the total order of floats, but that zeros are equal, and NaNs, which are the
  // greatest.
  enum Order : int64_t { kUnsigned, kSigned, kFloat, kMerged };

  int64_t rows = 1, extent = 0;
  bool has_comparator = false;
  std::vector<int64_t> widths;  // bytes of an element of each operand
  Order order = kUnsigned;
  bool descending = false;
  int64_t infinity = 0;  // kMerged: its bits
  // Which operand, of 4 or 8 bytes, holds the positions in the row, 0, 1, ...: it is not read. -1:
  // none
  int64_t positions = -1;
  int64_t inner = 1;

  // Whether rows are so short that several are sorted at once, one in each lane of vectors.
  bool HasShortRows() const { return !has_comparator && TakesShortRows(extent, rows); }
  static bool TakesShortRows(int64_t extent, int64_t rows) {
    return extent <= kLongestShort && rows >= kFewestShort;
  }
  static constexpr int64_t kLongestShort = 64, kFewestShort = 16;

  // Bytes of what stands for an element while a row is sorted: its position if a comparator reads
  // the operands, the key if that is all, and otherwise both in one integer; and how many lists of
  // them.
  int64_t EntryBytes() const {
    if (has_comparator) return 4;
    if (widths.size() == 1) return widths[0];
    return 8 * widths[0] + PositionBits() <= 32 ? 4 : 8;
  }
  int64_t PositionBits() const {
    int64_t bits = 0;
    while (bits < 32 && (extent - 1) >> bits > 0) ++bits;
    return bits;
  }
  // A list, or three of which one is the sorted one where several threads work on a row.
  int64_t Lists() const { return SharesRows() ? 3 : 2; }
  int64_t RowBytes() const { return Lists() * WholeLines(extent * EntryBytes()); }
  // Whether a row is worth several threads' work where there are fewer rows than threads.
  bool SharesRows() const {
    constexpr int64_t kFew = 16, kLong = 32768;
    return rows < kFew && extent >= kLong && !has_comparator &&
           (EntryBytes() >= 4 || CountsValues());
  }
  // Whether elements of two bytes are counted, value by value.
  bool CountsValues() const {
    return !has_comparator && widths.size() == 1 && widths[0] == 2 && extent >= kCounted;
  }
  static constexpr int64_t kCounted = 1 << 17, kCountBytes = int64_t{4} << 16;
  int64_t Slots() const { return SharesRows() ? 1 : SlotsFor(rows, RowBytes()); }
  int64_t ScratchBytes() const { return Slots() * RowBytes(); }

  std::vector<int64_t> ToDims() const {
    std::vector<int64_t> dims{rows, extent, static_cast<int64_t>(widths.size())};
    dims.insert(dims.end(), widths.begin(), widths.end());
    dims.insert(dims.end(), {order, descending ? 1 : 0, infinity, positions, inner});
    return dims;
  }
  static SortLayout FromDims(const int64_t* dims, bool has_comparator) {
    const int64_t* last = dims + 3 + dims[2];
    return {dims[0],
            dims[1],
            has_comparator,
            std::vector<int64_t>(dims + 3, last),
            static_cast<Order>(last[0]),
            last[1] != 0,
            last[2],
            last[3],
            last[4]};
  }
};

// The first k elements of each row, in order, of the largest or the smallest; of equal ones the
// earlier come first. Elements are of 32 bits. Buffers: the elements [rows, extent], the results
// [rows, k], their positions [rows, k] of 32 bits, scratch memory.
struct TopKLayout {
  enum Order : int64_t { kUnsigned, kSigned, kFloat };  // floats by their total order

  int64_t rows = 1, extent = 0, k = 0;
  Order order = kFloat;
  bool largest = true;

  // Room for the elements that wait, whole vectors of which are added while 64 fit.
  int64_t Capacity() const {
    constexpr int64_t kLeast = 512, kTimes = 4;
    return std::min(extent, std::max(kLeast, kTimes * k)) + kRoom;
  }
  static constexpr int64_t kRoom = 64;
  // Parts of a row, whose candidates are put together at the end.
  int64_t Parts() const {
    constexpr int64_t kFew = 16, kLong = 16384;
    if (rows < 1 || rows >= kFew) return 1;
    return std::clamp<int64_t>(extent / std::max(kLong, 8 * k), 1, kFew / rows);
  }
  // Two lists for a part at work; and of each part of a row the candidates, twice.
  int64_t SlotBytes() const { return 2 * WholeLines(8 * Capacity()); }
  int64_t CandidateBytes() const { return Parts() == 1 ? 0 : 2 * WholeLines(8 * Parts() * k); }
  int64_t Slots() const { return SlotsFor(rows * Parts(), SlotBytes()); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes() + rows * CandidateBytes(); }

  std::vector<int64_t> ToDims() const { return {rows, extent, k, order, largest ? 1 : 0}; }
  static TopKLayout FromDims(const int64_t* dims) {
    return {dims[0], dims[1], dims[2], static_cast<Order>(dims[3]), dims[4] != 0};
  }
};

}  // namespace sinter::program
