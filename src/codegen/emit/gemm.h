// The blocked matrix product.
#pragma once

#include "codegen/emit/region.h"

namespace sinter::emit {

// Emits the kernel of a region whose plan is kGemm. A task is a band of columns, a part of the
// rows, or both, so that tasks share only what nobody writes; what B is packed to as well, where a
// stage before has done that. For each slice of the contracted axis it packs its columns of B
// into panels; for each block of rows it copies A row by row and runs the register tile, whose
// accumulators wait in a first-level tile where a loop over rows runs the epilogue (after K. Goto,
// R. van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008).
// Prologues run in the copies.
void EmitGemm(Region& region);

}  // namespace sinter::emit
