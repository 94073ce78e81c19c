#include "codegen/kernel/fragments.h"

#include "codegen/kernel/layout.h"

namespace sinter::kernel {

bool IsDotOperand(ElementType elem) {
  return elem == ElementType::F16 || elem == ElementType::BF16 || elem == ElementType::F32 ||
         elem == ElementType::S8;
}

ElementType DotSum(ElementType elem) {
  return elem == ElementType::S8 ? ElementType::S32 : ElementType::F32;
}

int FragmentDepth(ElementType elem) { return 32 / ByteWidth(elem); }

std::optional<Fragments> FragmentsOf(int rows, int cols, int depth, ElementType elem, int warps) {
  const int step = FragmentDepth(elem);
  if (rows % kFragmentRows != 0 || cols % kFragmentCols != 0 || depth % step != 0)
    return std::nullopt;
  int row_warps = 1, col_warps = 1;
  for (int r = 1; r <= warps; r *= 2) {
    for (int c = 1; r * c <= warps; c *= 2) {
      if (rows % (r * kFragmentRows) != 0 || cols % (c * kFragmentCols) != 0) continue;
      const int used = r * c, best = row_warps * col_warps;
      const int reads = rows / r + cols / c, best_reads = rows / row_warps + cols / col_warps;
      if (used > best || (used == best && reads < best_reads)) {
        row_warps = r;
        col_warps = c;
      }
    }
  }
  const int packed = 4 / ByteWidth(elem);  // in a register
  const Factor row_warp{HardwareDim::kWarp, row_warps, col_warps},
      col_warp{HardwareDim::kWarp, col_warps, 1};
  const Factor eight_lanes{HardwareDim::kLane, 8, 4}, four_lanes{HardwareDim::kLane, 4, 1},
      two{HardwareDim::kReg, 2, 1};
  const std::vector<Factor> in_rows{
      row_warp, {HardwareDim::kReg, rows / (kFragmentRows * row_warps), 1}, two, eight_lanes};
  const std::vector<Factor> in_depth{
      {HardwareDim::kReg, depth / step, 1}, two, four_lanes, {HardwareDim::kReg, packed, 1}};
  const Factor col_blocks{HardwareDim::kReg, cols / (kFragmentCols * col_warps), 1};
  Fragments f;
  f.left = Canonical({{in_rows, in_depth}});
  f.right = Canonical({{in_depth, {col_warp, col_blocks, eight_lanes}}});
  f.sum = Canonical({{in_rows, {col_warp, col_blocks, four_lanes, two}}});
  return f;
}

}  // namespace sinter::kernel
