// Layouts of the operands of matrix products: the fragments of mma.sync (PTX ISA, "Matrix fragments
// for mma.m16n8k*").
#pragma once

#include <optional>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// What `dot` multiplies: F16, BF16 and F32 (as TF32) are added up in F32, S8 in S32.
bool IsDotOperand(ElementType elem);
ElementType DotSum(ElementType elem);

// Elements of the contracted axis that one instruction takes: two 16-byte rows of a fragment.
constexpr int kFragmentRows = 16, kFragmentCols = 8;
int FragmentDepth(ElementType elem);  // 16 of F16 and BF16, 8 of F32, 32 of S8

struct Fragments {
  Layout left, right, sum;  // [rows x depth], [depth x cols], [rows x cols]
};
// The layouts of dot left[rows x depth], right[depth x cols], sum[rows x cols]: a warp has a
// rectangle of the sum, as square as warps and extents allow, so that it reads the fewest operands;
// a lane holds what one instruction reads from it, and `sum` depends on rows, columns and warps
// alone. Warps that are left over hold copies. Nothing where the extents are no multiples of a
// fragment's.
std::optional<Fragments> FragmentsOf(int rows, int cols, int depth, ElementType elem, int warps);

}  // namespace sinter::kernel
