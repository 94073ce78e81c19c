// Sorting the columns of matrices with the processor's vectors, a column a lane: compiled for each
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/vector_targets.h"

namespace sinter::runtime::cpu {

// Rows of a matrix, of which the first gets the smaller of each column's two elements.
struct Exchange {
  uint8_t first = 0, second = 0;
};

// Key is uint32_t or uint64_t.
template <class Key>
struct ColumnSort {
  // Of a matrix of kColumns columns, at a multiple of 64 bytes.
  static constexpr size_t kColumns = 64;
  void (*run)(Key* matrix, const Exchange* exchanges, size_t count);
  // The same, with another matrix whose elements go with the keys, and by whose order equal keys
  // are in order.
  void (*run_pairs)(Key* matrix, Key* seconds, const Exchange* exchanges, size_t count);
  // Whether any of n floats is a negative zero, or has a magnitude above `infinity`. n is a
  // multiple of kColumns.
  bool (*has_special)(const Key* floats, size_t n, Key infinity);
};

template <class Key>
ColumnSort<Key> ColumnSortFor(VectorTarget target);
template <>
ColumnSort<uint32_t> ColumnSortFor<uint32_t>(VectorTarget target);
template <>
ColumnSort<uint64_t> ColumnSortFor<uint64_t>(VectorTarget target);

}  // namespace sinter::runtime::cpu
