#include "codegen/plan/gemm.h"

#include <algorithm>

#include "ir/analysis/packing.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

std::optional<MatrixProduct::Side> SideOf(const Shape& operand, const std::vector<int64_t>& batch,
                                          const std::vector<int64_t>& contracted) {
  if (contracted.size() != 1 || operand.rank() != static_cast<int64_t>(batch.size()) + 2)
    return std::nullopt;
  MatrixProduct::Side side{batch, -1, contracted[0]};
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (d != side.contracted && std::find(batch.begin(), batch.end(), d) == batch.end())
      side.free = d;
  }
  return side;
}

// How many products of the operands' elements add up to less than 2^24; 0 where they are no
// integers of 8 bits at most.
int64_t ExactSums(const HloInstruction& dot) {
  int64_t largest = 1;
  for (const HloInstruction* x : dot.operands()) {
    const ElementType t = x->shape().element_type();
    if (!IsInteger(t) || BitWidth(t) > 8) return 0;
    largest *=
        (int64_t{1} << (IsSigned(t) ? BitWidth(t) - 1 : BitWidth(t))) - (IsSigned(t) ? 0 : 1);
  }
  return ((int64_t{1} << 24) - 1) / largest;
}

// The elements of a word of which the machine has a dot instruction; 1 where it has none.
int WordOf(const HloInstruction& dot, const CpuMachine& machine) {
  const ElementType result = dot.shape().element_type();
  bool bf16 = IsFloat(result) && BitWidth(result) <= 32, bytes = true;
  for (const HloInstruction* x : dot.operands()) {
    const ElementType t = x->shape().element_type();
    bf16 &= t == ElementType::BF16;
    bytes &= IsInteger(t) && BitWidth(t) <= 8;
  }
  return bf16 && machine.dot_bf16 ? 2 : bytes && machine.dot_bytes ? 4 : 1;
}

}  // namespace

int64_t MatrixProduct::batches() const {
  int64_t n = 1;
  for (int64_t d : batch) n *= d;
  return n;
}

std::optional<MatrixProduct> PackedProduct(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const ElementType t = dot.shape().element_type();
  if (!IsFloat(t) && !IsInteger(t)) return std::nullopt;
  const Shape& lhs = dot.operand(0)->shape();
  const auto left = SideOf(lhs, a.lhs_batch_dims, a.lhs_contracting_dims),
             right = SideOf(dot.operand(1)->shape(), a.rhs_batch_dims, a.rhs_contracting_dims);
  if (!left || !right) return std::nullopt;
  const size_t batch = a.lhs_batch_dims.size();
  const auto& dims = dot.shape().dimensions();
  MatrixProduct p{.batch = {dims.begin(), dims.begin() + static_cast<ptrdiff_t>(batch)},
                  .m = dims[batch],
                  .n = dims[batch + 1],
                  .k = lhs.dimension(left->contracted),
                  .sides = {*left, *right}};
  if (p.batches() == 0 || !IsWorthPacking(p.m, p.n, p.k)) return std::nullopt;
  return p;
}

// The register tile leaves two registers for a row of B and a broadcast; B's panel streams from the
// second-level cache against rows of A that stay in the first.
GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const MatrixProduct& product,
                            const CpuMachine& machine, int lanes) {
  GemmBlocks g;
  g.rows = machine.vector_registers >= 32 ? 12 : 6;
  g.cols = 2 * lanes;
  int64_t deepest = tuning::kProductDepth;
  g.word = WordOf(dot, machine);
  deepest *= g.word;
  // Vectors multiply integers of 32 bits at a fifth of the speed.
  if (const int64_t most = ExactSums(dot) / 16 * 16; g.word == 1 && most >= 128) {
    g.exact_in_f32 = true;
    deepest = std::min(deepest, most);
  }
  const int64_t slices = (product.k + deepest - 1) / deepest;
  g.depth = product.k % (slices * g.word) == 0
                ? product.k / slices
                : std::min(product.k, ((product.k + slices - 1) / slices + 15) / 16 * 16);
  g.height = 8 * g.rows;
  const int64_t panels = (product.n + g.cols - 1) / g.cols, batches = product.batches();
  int64_t bands = (machine.threads + batches - 1) / batches;
  if (batches > 1) {
    // What a task packs is its own, and stays in the second-level cache.
    const int64_t element = std::max(4, ByteWidth(dot.shape().element_type()));
    const int64_t panel = g.cols * element * (g.depth / g.word + (slices > 1 ? product.m : 0));
    const int64_t most = std::max<int64_t>(1, machine.l2_bytes / panel);
    bands = std::max(bands, (panels + most - 1) / most);
  }
  g.bands = std::clamp<int64_t>(bands, 1, panels);
  // Each band packs all rows, each part all columns: of tall products the columns are fewer.
  const int64_t packed = panels * g.cols * std::min(g.depth, product.k) / g.word * 4;
  if (product.m >= 2 * product.n && batches < machine.threads && packed <= machine.l2_bytes / 2) {
    g.bands = 1;
    g.parts =
        std::clamp<int64_t>((machine.threads + batches - 1) / batches, 1, product.m / (4 * g.rows));
  }
  return g;
}

void PlanChain(const ProductChain& chain, const HloInstruction& second, const CpuMachine& machine,
               Plan& plan) {
  const MatrixProduct outer = *PackedProduct(second), inner = *PackedProduct(*chain.first);
  plan.nest = Nest::kGemm;
  plan.dot = &second;
  plan.chained = chain.first;
  plan.chain_reductions = chain.reductions;
  plan.gemm = ChooseGemmBlocks(second, outer, machine, plan.lanes);
  plan.chained_gemm = ChooseGemmBlocks(*chain.first, inner, machine, plan.lanes);
  // A row is there as a whole. It is held twice: as the first product gives it, and as the second
  // takes it.
  plan.gemm.bands = plan.chained_gemm.bands = plan.gemm.parts = plan.chained_gemm.parts = 1;
  plan.gemm.depth = outer.k;
  plan.chained_gemm.depth = inner.k;
  const int64_t rows = machine.l2_bytes / 4 / (2 * 4 * outer.k) / plan.gemm.rows * plan.gemm.rows;
  plan.gemm.height = std::clamp<int64_t>(rows, plan.gemm.rows, plan.gemm.height);
  plan.chained_gemm.height = plan.gemm.height;
  // What a task packs is to be little beside what it multiplies, and there are to be tasks enough.
  const int64_t tasks = std::max((machine.threads + outer.batches() - 1) / outer.batches(),
                                 outer.m / tuning::kChainRows);
  plan.chain_rows =
      ((outer.m + tasks - 1) / tasks + plan.gemm.rows - 1) / plan.gemm.rows * plan.gemm.rows;
  plan.reduce_cols = 4 * plan.lanes;
}

}  // namespace sinter::plan
