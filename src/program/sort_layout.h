// How library calls "sort" and "top-k" are written down, for the compiler that makes them and the
// kernels that read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/slots.h"

namespace sinter::program {

// `rows` rows of `extent` elements, one after the other; or of `inner` rows each, side by side: the
// next element of a row is `inner` elements further on, which short rows only have. Buffers: the
// operands, the results, scratch memory. With a stage, that is the comparator: its buffers are the
// two elements of each operand, side by side, and a byte for the answer. Without one, the elements
// are sorted by keys, of which the first that differ decide. Sorts are stable.
struct SortLayout {
  // kMerged is the total order of floats, but that zeros are equal, and NaNs, which are the
  // greatest.
  enum Order : int64_t { kUnsigned, kSigned, kFloat, kMerged };
  // The elements of an operand.
  struct Key {
    int64_t operand = 0;
    Order order = kUnsigned;
    bool descending = false;
    int64_t infinity = 0;  // kMerged: its bits
  };
  // kPositions: the operand, of 4 or 8 bytes, holds the positions in the row, 0, 1, ...; it is not
  // read. kUnread: nobody reads the result, which is not written. Neither needs memory.
  enum Use : int64_t { kRead, kPositions, kUnread };
  struct Operand {
    int64_t width = 0;  // bytes of an element
    Use use = kRead;
  };

  int64_t rows = 1, extent = 0, inner = 1;
  std::vector<Operand> operands;
  std::vector<Key> keys;           // of 64 bits together at most; none: there is a comparator
  int64_t threads = kMostThreads;  // that there is scratch memory for

  bool HasComparator() const { return keys.empty(); }
  int64_t WidthOf(const Key& key) const { return operands[static_cast<size_t>(key.operand)].width; }
  // All keys as one unsigned integer, the first the highest.
  int64_t KeyBits() const {
    int64_t bits = 0;
    for (const Key& key : keys) bits += 8 * WidthOf(key);
    return bits;
  }
  int64_t KeyBytes() const {
    int64_t bytes = 1;
    while (8 * bytes < KeyBits()) bytes *= 2;
    return bytes;
  }
  // Of which an element of the operand can be made again, or null. Zeros and NaNs of a merged order
  // cannot.
  const Key* KeyOf(size_t operand) const {
    for (const Key& key : keys)
      if (key.operand == static_cast<int64_t>(operand)) return &key;
    return nullptr;
  }

  // Whether rows are so short that several are sorted at once, one in each lane of vectors.
  bool HasShortRows() const { return !HasComparator() && TakesShortRows(extent, rows); }
  static bool TakesShortRows(int64_t extent, int64_t rows) {
    return extent <= kLongestShort && rows >= kFewestShort;
  }
  static constexpr int64_t kLongestShort = 64, kFewestShort = 16;

  // Whether the keys are all that is sorted. Elements of one operand that are equal by a merged
  // order are told apart at the end.
  bool SortsKeysAlone() const {
    if (HasComparator()) return false;
    if (operands.size() == 1) return keys.size() == 1;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Key* key = KeyOf(k);
      if (operands[k].use != kUnread && (key == nullptr || key->order == kMerged)) return false;
    }
    return KeyBytes() >= 4;
  }
  // Bytes of what stands for an element while a row is sorted: its position if a comparator reads
  // the operands, the key if that is all, and otherwise both in one integer; and how many lists of
  // them.
  int64_t EntryBytes() const {
    if (HasComparator()) return 4;
    if (SortsKeysAlone()) return KeyBytes();
    return KeyBits() + PositionBits() <= 32 ? 4 : 8;
  }
  int64_t PositionBits() const {
    int64_t bits = 0;
    while (bits < 32 && (extent - 1) >> bits > 0) ++bits;
    return bits;
  }
  // The entries and room for as many; keys alone, of four bytes or more, are sorted in place.
  int64_t Lists() const { return SortsKeysAlone() && KeyBytes() >= 4 ? 0 : 2; }
  int64_t ListBytes() const { return WholeLines(extent * EntryBytes()); }
  // Several keys are put together before, in a list of their own.
  int64_t RowBytes() const {
    if (CountsValues()) return CountParts() * kCountBytes;
    return Lists() * ListBytes() + (keys.size() > 1 ? WholeLines(extent * KeyBytes()) : 0);
  }
  // Whether a row is worth several threads' work where there are fewer rows than threads.
  bool SharesRows() const {
    constexpr int64_t kFew = 16, kLong = 32768;
    return rows < kFew && extent >= kLong && !HasComparator() &&
           (EntryBytes() >= 4 || CountsValues());
  }
  // Whether elements of two bytes are counted, value by value; in parts of the row.
  bool CountsValues() const { return SortsKeysAlone() && KeyBytes() == 2 && extent >= kCounted; }
  int64_t CountParts() const { return std::clamp<int64_t>(extent >> 18, 2, kMostCountParts); }
  static constexpr int64_t kMostCountParts = 16;
  static constexpr int64_t kCounted = 1 << 17, kCountBytes = int64_t{4} << 16;
  int64_t Slots() const { return SharesRows() ? 1 : SlotsFor(rows, RowBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * RowBytes(); }

  std::vector<int64_t> ToDims() const {
    std::vector<int64_t> dims{rows,
                              extent,
                              inner,
                              static_cast<int64_t>(operands.size()),
                              static_cast<int64_t>(keys.size()),
                              threads};
    for (const Operand& o : operands) dims.insert(dims.end(), {o.width, o.use});
    for (const Key& k : keys)
      dims.insert(dims.end(), {k.operand, k.order, k.descending ? 1 : 0, k.infinity});
    return dims;
  }
  // How many integers those are, of a list that begins like this; 0 if none does.
  static int64_t DimsCount(int64_t operand_count, int64_t key_count) {
    constexpr int64_t kMost = 1 << 20;
    if (operand_count < 1 || operand_count > kMost || key_count < 0 || key_count > kMost) return 0;
    return kFirst + 2 * operand_count + 4 * key_count;
  }
  static constexpr int64_t kFirst = 6;  // of those that operands have
  static SortLayout FromDims(const int64_t* dims) {
    SortLayout layout{dims[0], dims[1], dims[2], {}, {}, dims[5]};
    const int64_t* at = dims + kFirst;
    for (int64_t k = 0; k < dims[3]; ++k, at += 2)
      layout.operands.push_back({at[0], static_cast<Use>(at[1])});
    for (int64_t k = 0; k < dims[4]; ++k, at += 4)
      layout.keys.push_back({at[0], static_cast<Order>(at[1]), at[2] != 0, at[3]});
    return layout;
  }
};

// The first k elements of each row, in order, of the largest or the smallest; of equal ones the
// earlier come first. Elements are of 32 bits. Buffers: the elements [rows, extent], the results
// [rows, k], their positions [rows, k] of 32 bits, scratch memory.
struct TopKLayout {
  using Order = SortLayout::Order;
  using enum SortLayout::Order;

  int64_t rows = 1, extent = 0, k = 0;
  Order order = kFloat;
  bool largest = true;
  int64_t threads = kMostThreads;  // that there is scratch memory for

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
  // Two lists for a part at work; and of each part of a row the candidates.
  int64_t SlotBytes() const { return 2 * WholeLines(8 * Capacity()); }
  int64_t CandidateBytes() const { return Parts() == 1 ? 0 : WholeLines(8 * Parts() * k); }
  int64_t Slots() const { return SlotsFor(rows * Parts(), SlotBytes(), threads); }
  int64_t ScratchBytes() const { return Slots() * SlotBytes() + rows * CandidateBytes(); }

  std::vector<int64_t> ToDims() const { return {rows, extent, k, order, largest ? 1 : 0, threads}; }
  static constexpr size_t kDims = 6;
  static TopKLayout FromDims(const int64_t* dims) {
    return {dims[0], dims[1], dims[2], static_cast<Order>(dims[3]), dims[4] != 0, dims[5]};
  }
};

}  // namespace sinter::program
