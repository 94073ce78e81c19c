// Rows of one operand, whose elements are of one or two bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "program/sort_layout.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

template <class Key>
void InsertionSort(Key* a, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Key e = a[i];
    size_t at = i;
    for (; at > 0 && e < a[at - 1]; --at) a[at] = a[at - 1];
    a[at] = e;
  }
}

// Sorts a row of layout.extent elements to `to`; `first` and `second` are scratch memory of a list
// each, the one after the other.
void SortBytes(const LibraryArguments& arguments, const program::SortLayout& layout,
               const uint8_t* from, uint8_t* to, uint8_t* first, uint8_t* second, int threads);
void SortBytes(const LibraryArguments& arguments, const program::SortLayout& layout,
               const uint16_t* from, uint16_t* to, uint16_t* first, uint16_t* second, int threads);

}  // namespace sinter::runtime::cpu
