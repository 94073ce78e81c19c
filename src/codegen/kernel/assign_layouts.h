// Gives every tile of a kernel a layout in a block of a GPU.
#pragma once

#include "absl/status/status.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// The block that runs a task.
struct GpuShape {
  int warps = 4;          // a power of two, at most kMaxWarps
  int access_bytes = 16;  // the widest access of one thread
  bool operator==(const GpuShape&) const = default;
};

// Chooses a layout for every tile of a kernel that has none yet, and inserts `relayout` where a
// value is wanted in two. Meaning does not change.
//
// Values that must agree (operands and results of one operation of the same extents, carries with
// what enters and leaves them) form a class, which has one layout. It follows from the extents, the
// widest element that the class moves between registers and memory, and its use:
//   columns are [registers][warps][lanes][registers of one access]; rows take the lanes that
//   columns leave, and warps before them, unless rows are what is reduced;
//   a tile that is transposed has one element an access, so that neighbours are in neighbouring
//   lanes; a tile of outer products (fma of a column and a row) gives each thread a square of
//   registers; operands and sum of `dot` are in its fragments (fragments.h), in which the sum's
//   users stay; a single row or column takes the layout of a tile that it broadcasts to or is
//   reduced from.
// Where extents are no multiple of a power of two, registers take the rest; where a tile is smaller
// than the block, threads hold copies.
//
// InvalidArgument for a shape that is none; Internal if a tile has a layout already, or a `dot` no
// fragments.
absl::Status AssignLayouts(Kernel& kernel, const GpuShape& shape);

}  // namespace sinter::kernel
