// The library's sort of many short rows.
#pragma once

#include "program/sort_layout.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// Of a layout that HasShortRows(). Blocks of rows become columns of a matrix, of keys alone or of
// keys and their positions, which Batcher's network of exchanges sorts, each a minimum and a
// maximum of two vectors. Blocks are shared out over threads.
void SortShortRows(const LibraryArguments& arguments, const program::SortLayout& layout);

}  // namespace sinter::runtime::cpu
