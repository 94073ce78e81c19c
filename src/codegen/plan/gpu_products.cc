#include "codegen/plan/gpu_products.h"

#include <algorithm>

#include "codegen/plan/planner.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

constexpr int kTuring = 75,
              kAmpere = 80;  // the first with mma.sync of F16; with the rest, cp.async
constexpr int kRowPad = 16;  // bytes behind a row of a slice in shared memory
constexpr int kMostStages = 4;
constexpr int kLeast = 16;  // rows of the smallest tile

// Tiles of a block, the largest first. A warp of the first has 64x64 of the sum, of the second
// 64x32: what it reads from shared memory for as many products is three quarters. 64x64 take 128
// registers a thread, so that a multiprocessor has one such block; of all others two or more.
struct TileShape {
  int rows, cols, warps;
};
constexpr TileShape kTileShapes[] = {
    {128, 256, 8}, {128, 128, 8}, {128, 64, 4}, {64, 128, 4}, {64, 64, 4}, {64, 32, 4},
    {32, 64, 4},   {32, 32, 4},   {32, 16, 2},  {16, 32, 2},  {16, 16, 1},
};

int64_t Ceiling(int64_t n, int64_t d) { return (n + d - 1) / d; }

int64_t Tiles(const TiledProduct& e, int rows, int cols) {
  return e.count * Ceiling(e.rows, rows) * Ceiling(e.cols, cols);
}

}  // namespace

bool SuitsTensorCores(const HloInstruction& dot, int sm) {
  const auto& a = dot.attrs<DotAttrs>();
  const ElementType left = dot.operand(0)->shape().element_type(),
                    right = dot.operand(1)->shape().element_type(), to = dot.shape().element_type();
  if (left != right || a.lhs_contracting_dims.size() != 1) return false;
  const bool to_float = to == ElementType::F32 || to == ElementType::F16 || to == ElementType::BF16;
  switch (left) {
    case ElementType::F16:
      return sm >= kTuring && to_float;
    case ElementType::BF16:
      return sm >= kAmpere && to_float;
    case ElementType::S8:
      return sm >= kAmpere && to == ElementType::S32;
    case ElementType::F32:
      return sm >= kAmpere && to == ElementType::F32 && a.lhs_precision == Precision::kDefault &&
             a.rhs_precision == Precision::kDefault;
    default:
      return false;
  }
}

ProductTile ChooseProductTile(const TiledProduct& e, const GpuMachine& machine) {
  const int64_t row_limit = std::max<int64_t>(kLeast, PowerOfTwoAtLeast(e.rows)),
                col_limit = std::max<int64_t>(kLeast, PowerOfTwoAtLeast(e.cols));
  ProductTile tile;
  for (const TileShape& s : kTileShapes) {
    if (s.rows > std::min<int64_t>(row_limit, e.most) ||
        s.cols > std::min<int64_t>(col_limit, e.most))
      continue;
    tile.rows = s.rows;
    tile.cols = s.cols;
    tile.warps = s.warps;
    if (Tiles(e, s.rows, s.cols) >= machine.multiprocessors) break;
  }
  // A barrier a slice: as much to multiply as two steps of a large tile's warps, or four of
  // others. Two blocks share a multiprocessor's memory, but for the largest tile.
  const bool largest = tile.rows * tile.cols > 128 * 128;
  int row_bytes = largest ? 64 : 128;
  const int64_t room = largest ? machine.product_bytes : machine.product_bytes / 2;
  auto stage_bytes = [&] {
    // The operand whose rows are free is the larger one.
    return (tile.rows + tile.cols) * int64_t{row_bytes + kRowPad} +
           int64_t{2} * kRowPad * row_bytes / e.bytes;
  };
  while (row_bytes > 32 && (e.depth * e.bytes <= row_bytes / 2 || 2 * stage_bytes() > room))
    row_bytes /= 2;
  tile.slice = row_bytes / e.bytes;
  // Without cp.async no copy is in flight.
  const int64_t most =
      machine.sm < kAmpere ? 1 : std::min<int64_t>(kMostStages, room / stage_bytes());
  tile.stages = static_cast<int>(
      std::clamp<int64_t>(Ceiling(e.depth, tile.slice), 1, std::max<int64_t>(1, most)));
  return tile;
}

int64_t ProductChunk(const TiledProduct& e) {
  const int64_t tiles = Tiles(e, 128, 128);
  const int64_t parts = std::min(tuning::kGpuProductTasks / std::max<int64_t>(1, tiles),
                                 e.depth / tuning::kGpuLeastDepth);
  if (parts < 2) return 0;
  const int64_t chunk =
      Ceiling(Ceiling(e.depth, parts), tuning::kGpuDepthUnit) * tuning::kGpuDepthUnit;
  return chunk < e.depth ? chunk : 0;
}

}  // namespace sinter::plan
