// Matrix products of a GPU: which run on tensor cores, and in which tiles.
#pragma once

#include <cstdint>

#include "codegen/plan/plan.h"

namespace sinter::plan {

// Whether a product's types and attributes suit mma.sync (kernel::OpCode::kDot) of a GPU: F16 from
// sm_75 on; BF16, S8 added up in S32, and F32 as TF32 from sm_80 on, the last only at precision
// DEFAULT of both operands. One contracted axis, and no complex numbers.
bool SuitsTensorCores(const HloInstruction& dot, int sm);

// What a block does of a product.
struct ProductTile {
  int rows = 0, cols = 0;
  int slice = 0;   // of the contracted axis
  int stages = 1;  // slices in shared memory at a time
  int warps = 1;
};

// Of `count` products [rows x depth] by [depth x cols] of elements of `bytes` bytes. `most`: of the
// tile's rows and columns, a power of two, at least 16.
struct TiledProduct {
  int64_t count = 1, rows = 1, cols = 1, depth = 1;
  int bytes = 2;
  int most = 256;
};
ProductTile ChooseProductTile(const TiledProduct& extents, const GpuMachine& machine);

// The chunk of the contracted axis that a task takes where the result has too few tiles to fill a
// device; 0 where it has enough, or too little is added up. The same on every device, so that
// results are.
int64_t ProductChunk(const TiledProduct& extents);

}  // namespace sinter::plan
