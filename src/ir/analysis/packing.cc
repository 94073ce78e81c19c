#include "ir/analysis/packing.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/layout.h"
#include "target/tuning.h"

namespace sinter {

ProductExtents ExtentsOf(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const Shape &lhs = dot.operand(0)->shape(), &rhs = dot.operand(1)->shape();
  ProductExtents e;
  for (int64_t d : a.lhs_contracting_dims) e.k *= lhs.dimension(d);
  for (int64_t d : a.lhs_batch_dims) e.batch *= lhs.dimension(d);
  if (e.k * e.batch == 0) return e;
  e.m = lhs.element_count() / (e.k * e.batch);
  e.n = rhs.element_count() / (e.k * e.batch);
  return e;
}

bool IsWorthPacking(int64_t m, int64_t n, int64_t k, bool is_across) {
  return m >= 5 && n >= (is_across ? tuning::kLeastColumnsAcross : 32) && k >= 4 &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >=
             (is_across ? tuning::kLeastPackedAcross : tuning::kLeastPacked);
}

bool IsWorthPackingToTiles(int64_t m, int64_t n, int64_t k) {
  return m >= tuning::kLeastRowsOfTiles && n >= tuning::kLeastColumnsOfTiles &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >=
             tuning::kLeastOfTiles;
}

bool IsReadAcross(const Shape& operand, absl::Span<const int64_t> batch,
                  absl::Span<const int64_t> contracted) {
  const int64_t minor = MinorDimension(operand);
  return absl::c_linear_search(batch, minor) || absl::c_linear_search(contracted, minor);
}

bool IsWorthPacking(const HloInstruction& dot, const CpuMachine* machine) {
  if (machine != nullptr && IsOfTiledWords(dot, *machine)) {
    const ProductExtents e = ExtentsOf(dot);
    if (IsWorthPackingToTiles(e.m, e.n, e.k)) return true;
  }
  const auto& a = dot.attrs<DotAttrs>();
  return IsWorthPacking(
      dot, IsReadAcross(dot.operand(1)->shape(), a.rhs_batch_dims, a.rhs_contracting_dims));
}

bool IsWorthPacking(const HloInstruction& dot, bool is_across) {
  const ElementType t = dot.shape().element_type();
  if ((!IsFloat(t) && !IsInteger(t)) || dot.shape().element_count() == 0) return false;
  const ProductExtents e = ExtentsOf(dot);
  return IsWorthPacking(e.m, e.n, e.k, is_across);
}

bool IsTransposed(const HloInstruction& dot) {
  return dot.users().size() == 1 && dot.users()[0]->op() == HloOpcode::Transpose;
}

int WordOf(const HloInstruction& dot) {
  const ElementType result = dot.shape().element_type();
  bool bf16 = IsFloat(result) && BitWidth(result) <= 32, bytes = true;
  for (const HloInstruction* x : dot.operands()) {
    const ElementType t = x->shape().element_type();
    bf16 &= t == ElementType::BF16;
    bytes &= IsInteger(t) && BitWidth(t) <= 8;
  }
  return bf16 ? 2 : bytes ? 4 : 1;
}

bool IsOfTiledWords(const HloInstruction& dot, const CpuMachine& machine) {
  return machine.dot_tiles && WordOf(dot) > 1;
}

bool HasWindowsOfCached(const HloInstruction& dot, int64_t l2_bytes) {
  return absl::c_any_of(dot.operands(), [](auto* o) { return o->op() == HloOpcode::Windows; }) &&
         dot.operand(1)->shape().byte_size() <= l2_bytes / 2;
}

bool HasUnpackedWindows(const HloInstruction& dot, const CpuMachine& machine) {
  if (!HasWindowsOfCached(dot, machine.l2_bytes) || IsOfTiledWords(dot, machine)) return false;
  const HloInstruction& rows = *dot.operand(0);
  return rows.op() != HloOpcode::Windows ||
         absl::c_linear_search(dot.attrs<DotAttrs>().lhs_contracting_dims,
                               rows.operand(0)->shape().rank() - 1);
}

}  // namespace sinter
