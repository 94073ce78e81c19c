#include "codegen/plan/gemm.h"

#include <algorithm>

namespace sinter::plan {

bool WantsPacking(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const Shape &lhs = dot.operand(0)->shape(), &rhs = dot.operand(1)->shape();
  if (lhs.rank() != 2 || rhs.rank() != 2 || a.lhs_contracting_dims.size() != 1 ||
      !a.lhs_batch_dims.empty())
    return false;
  const ElementType t = dot.shape().element_type();
  if (!IsFloat(t) && !IsInteger(t)) return false;
  const int64_t m = dot.shape().dimension(0), n = dot.shape().dimension(1);
  const int64_t k = lhs.dimension(a.lhs_contracting_dims[0]);
  return m >= 16 && n >= 32 && k >= 16 && m * n * k >= int64_t{96} * 96 * 96;
}

// The register tile leaves two registers for a row of B and a broadcast; B's panel streams from the
// second-level cache against rows of A that stay in the first.
GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const Machine& machine, int lanes) {
  const auto& a = dot.attrs<DotAttrs>();
  GemmBlocks g;
  g.rows = machine.vector_registers >= 32 ? 12 : 6;
  g.cols = 2 * lanes;
  const int64_t k = dot.operand(0)->shape().dimension(a.lhs_contracting_dims[0]);
  const int64_t deepest = 512;  // twice that runs 4 % slower
  const int64_t slices = (k + deepest - 1) / deepest;
  g.depth = k % slices == 0 ? k / slices : std::min(k, ((k + slices - 1) / slices + 15) / 16 * 16);
  g.height = 8 * g.rows;
  const int64_t panels = (dot.shape().dimension(1) + g.cols - 1) / g.cols;
  g.bands = std::clamp<int64_t>(machine.threads, 1, panels);
  return g;
}

}  // namespace sinter::plan
