#include "codegen/plan/slide.h"

#include "absl/algorithm/container.h"

namespace sinter::plan {
namespace {

// Whether it is looked up: it depends on its axes, but is no sum of theirs (OperandIndexMap).
bool IsLookedUp(const AccessDim& d) {
  return absl::c_any_of(d, [](const AxisTerm& t) { return t.coefficient == 0; });
}

}  // namespace

std::optional<std::pair<int, int>> SlidingAxes(const Accesses& accesses, int col_dim,
                                               const std::function<int64_t(int)>& extent) {
  std::optional<std::pair<int, int>> axes;
  for (const HloInstruction* i : accesses.order) {
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses.of.at(i)) {
      for (const AccessDim& d : a) {
        if (IsLookedUp(d)) continue;
        for (const AxisTerm& row : d) {
          for (const AxisTerm& inner : d) {
            if (row.axis >= kInner || row.axis == col_dim || inner.axis < kInner ||
                row.coefficient != inner.coefficient)
              continue;
            if (!axes || extent(inner.axis) > extent(axes->second)) axes = {row.axis, inner.axis};
          }
        }
      }
    }
  }
  if (!axes) return axes;
  for (const HloInstruction* i : accesses.order) {
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses.of.at(i)) {
      // What the results meet after the reduction is read by each row for itself.
      if (!absl::c_any_of(a, [](const AccessDim& d) { return IsInner(d); })) continue;
      for (const AccessDim& d : a) {
        int64_t by_row = 0, by_inner = 0;
        for (const AxisTerm& t : d) {
          if (t.axis == axes->first) by_row += t.coefficient;
          if (t.axis == axes->second) by_inner += t.coefficient;
        }
        if (by_row != 0 && by_row != by_inner) return std::nullopt;
      }
    }
  }
  return axes;
}

int ReducedDim(const Accesses& accesses, const HloInstruction& reduce, int axis) {
  const auto& own = accesses.of.at(&reduce);
  const auto& read = accesses.of.at(reduce.operand(0));
  if (own.size() != 1 || read.size() != 1) return -1;
  for (size_t d = 0; d < own[0].size(); ++d) {
    if (own[0][d] != AccessDim{AxisTerm{static_cast<int>(d), 1}} ||
        accesses.offsets.at(&reduce)[0][d].value_or(1) != 0)
      return -1;
  }
  const AccessDim wanted{AxisTerm{axis, 1}};
  if (reduce.op() == HloOpcode::Reduce) {
    for (int64_t d : reduce.dimensions())
      if (read[0][static_cast<size_t>(d)] == wanted) return static_cast<int>(d);
    return -1;
  }
  const Dims& contracted = reduce.attrs<DotAttrs>().lhs_contracting_dims;
  for (size_t k = 0; k < contracted.size(); ++k)
    if (read[0][static_cast<size_t>(contracted[k])] == wanted)
      return static_cast<int>(reduce.shape().rank() + static_cast<int64_t>(k));
  return -1;
}

std::optional<SlideTile> ChooseSlideTile(int64_t inner, int64_t rows, int64_t columns, int lanes,
                                         int64_t registers) {
  double best = 0;
  SlideTile tile;
  for (int64_t r = 2; r <= inner && r <= 8; ++r) {
    if (rows % r != 0) continue;
    for (int64_t vectors : {1, 2, 4}) {
      const int64_t cols = vectors * lanes, tiles = (columns + cols - 1) / cols;
      if (r * vectors > registers) continue;
      // Products of a turn to what it loads: rows of what has windows cross lines of the cache.
      const double used = static_cast<double>(columns) / static_cast<double>(tiles * cols),
                   products = static_cast<double>(r * vectors),
                   gain =
                       used * products / std::max(products, static_cast<double>(2 * vectors + r)),
                   score = gain + 0.01 * products;
      if (score <= best) continue;
      best = score;
      tile = {static_cast<int>(r), static_cast<int>(cols)};
    }
  }
  if (best == 0) return std::nullopt;
  return tile;
}

}  // namespace sinter::plan
