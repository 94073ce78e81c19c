// Puts the barriers that a block's threads need between their accesses to memory.
#pragma once

#include "absl/status/status.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Inserts a `sync` before each access to a task buffer, or to other memory (a buffer, or an alias
// group) that the kernel both reads and writes, that conflicts with one since the last `sync` (one
// of the two writes, and two threads may touch the same element), or before the loop that it stands
// in where the other is outside. Iterations of a loop follow one another, so an access conflicts
// with those behind it in the body too. Accesses in the same layout without copies stay in their
// thread and need none: each element is then touched by the thread of its position in the tile, if
// tiles begin at multiples of their extents.
//
// Buffers that asynchronous stores write are left alone: the builder of such a pipeline places its
// `wait`s, which are barriers too.
//
// The kernel must have layouts (AssignLayouts); builders and emitters write no barriers. Barriers
// that `reduce`, `transpose` and `relayout` bring with them are not relied on. Internal where tiles
// have no layouts.
absl::Status PlaceSyncs(Kernel& kernel);

}  // namespace sinter::kernel
