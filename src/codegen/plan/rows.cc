// Which axis the rows of a tile run along.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "codegen/plan/planner.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/packing.h"
#include "target/tuning.h"

namespace sinter::plan {

void Planner::ChooseRows() {
  // A loop carries so many rows of registers for each of its arrays.
  if (LoopsPerElement()) return;
  // Rows run along the axis that is minor in an operand that is read transposed, or along the left
  // operand of a product.
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() != HloOpcode::Parameter || plan_.col_dim < 0) continue;
    for (const Access& a : accesses_.of.at(i)) {
      if (a.empty() || a.back().size() != 1 || !Uses(a, plan_.col_dim)) continue;
      const AxisTerm& minor = a.back()[0];
      if (minor.axis < kInner && minor.axis != plan_.col_dim && minor.coefficient == 1 &&
          Extent(minor.axis) > 1) {
        plan_.row_dim = minor.axis;
        transposed_ = true;
      }
    }
  }
  if (plan_.row_dim < 0) {
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Dot || (plan_.col_dim < 0 && !SharesSums(*i))) continue;
      if (const int rows = AxisOfProductRows(*i); rows >= 0) plan_.row_dim = rows;
    }
  }
  if (shares_rows_ && plan_.row_dim < 0) plan_.row_dim = AxisOfSharedWork();
  if (shares_rows_ && plan_.row_dim < 0) plan_.row_dim = AxisOfSharedVectors();
  if (shares_rows_ && plan_.row_dim < 0) {
    plan_.row_dim = AxisWithinSums();
    if (plan_.row_dim >= 0) most_rows_ = tuning::kMostRowsWithinSums;
  }
  auto drop = [&](std::vector<int>& dims) {
    dims.erase(std::remove(dims.begin(), dims.end(), plan_.row_dim), dims.end());
  };
  if (plan_.row_dim >= 0) {
    row_is_task_ = std::find(plan_.task_dims.begin(), plan_.task_dims.end(), plan_.row_dim) !=
                   plan_.task_dims.end();
    drop(plan_.task_dims);
    drop(plan_.loop_dims);
  }
}

// The axis along the left operand's last free dimension; if that one has less than half the rows of
// a tile, the longest along its others (1.5 times as fast for images two places wide, no faster for
// four). -1: none.
int Planner::AxisOfProductRows(const HloInstruction& dot) const {
  const Access& a = accesses_.of.at(&dot)[0];
  const auto& dims = dot.attrs<DotAttrs>();
  const size_t batch = dims.lhs_batch_dims.size(),
               left_rank = dot.operand(0)->shape().dimensions().size(),
               end = left_rank - dims.lhs_contracting_dims.size();
  int rows = -1;
  for (size_t k = a.size() > end ? end : batch; k-- > batch;) {
    const AccessDim& d = a[k];
    const bool is_axis = d.size() == 1 && d[0].axis < kInner && d[0].axis != plan_.col_dim;
    if (is_axis && (rows < 0 || Extent(d[0].axis) > Extent(rows))) rows = d[0].axis;
    if (rows < 0 || 2 * Extent(rows) >= tuning::kProductTileRows) break;
  }
  return rows;
}

// Whether a product whose sums run along vectors is better computed for all rows of its left
// operand at once, which are few: they read the right one together, and stay in the first-level
// cache.
bool Planner::SharesSums(const HloInstruction& dot) const {
  if (!shares_rows_ || loops_.size() != 1 || dot.shape().element_count() == 0) return false;
  const ProductExtents e = ExtentsOf(dot);
  return e.m > 1 && e.m <= tuning::kMostSharedRows &&
         dot.operand(0)->shape().byte_size() / e.batch <= tuning::kSharedRowsBytes;
}

// A short axis of the outputs on which most of the work inside of loops does not depend: a tile of
// all of it does that work once. -1: none.
int Planner::AxisOfSharedWork() const {
  for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
    if (d == plan_.col_dim || Extent(d) < 2 || Extent(d) > tuning::kMostSharedRows) continue;
    double shared = 0, own = 0;
    for (const HloInstruction* i : accesses_.order) {
      for (const Access& a : accesses_.of.at(i)) {
        if (absl::c_any_of(a, IsInner)) (Uses(a, d) ? own : shared) += OpCost(*i);
      }
    }
    if (shared > own + tuning::kWorthCaching) return d;
  }
  return -1;
}

// Where vectors run along an axis of results: another one on which at least half of the vectors
// that a turn of the loop reads do not depend, as the right operand's of a product over another
// semiring than that of sums and products. Rows of a tile read these once (x[i, k, j] * y[k, j],
// summed along k, 100 x 64 x 300: 0.14 to 0.07 ms). Not of long operations, whose registers are for
// those. -1: none.
int Planner::AxisOfSharedVectors() const {
  if (plan_.col_dim < 0 || Extent(plan_.col_dim) < plan_.lanes || loops_.size() != 1 ||
      loops_[0]->op() != HloOpcode::Reduce || loops_[0]->shape().is_tuple() ||
      body_ > tuning::kMostBodyOfRows)
    return -1;
  // Vectors beside the loop would need registers for all rows.
  std::vector<const Access*> in_loop, vectors, beside;
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() == HloOpcode::Windows) return -1;
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses_.of.at(i)) {
      const bool is_inner = absl::c_any_of(a, IsInner);
      if (is_inner) in_loop.push_back(&a);
      if (!Uses(a, plan_.col_dim)) continue;
      if (!absl::c_linear_search(a.back(), AxisTerm{plan_.col_dim, 1})) return -1;
      (is_inner ? vectors : beside).push_back(&a);
    }
  }
  if (vectors.empty()) return -1;
  for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
    if (d == plan_.col_dim || Extent(d) < 4) continue;
    auto uses = [&](const Access* a) { return Uses(*a, d); };
    if (absl::c_none_of(beside, uses) && absl::c_any_of(in_loop, uses) &&
        2 * absl::c_count_if(vectors, uses) <= static_cast<int64_t>(vectors.size()))
      return d;
  }
  return -1;
}

// Where vectors run along a reduced axis: a short axis that lies around this one in memory and
// within another one that is reduced, as the groups of features of an image. For each of its
// elements by itself memory would be read a few lines here and there. -1: none.
int Planner::AxisWithinSums() const {
  if ((plan_.col_dim >= 0 && Extent(plan_.col_dim) > 1) || loops_.size() != 1 ||
      loops_[0]->op() != HloOpcode::Reduce)
    return -1;
  int found = -1;
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses_.of.at(i)) {
      int64_t bytes = ByteWidth(i->shape().element_type());
      size_t d = a.size();
      auto axis = [&] { return a[d - 1].size() == 1 ? a[d - 1][0].axis : -1; };
      for (; d > 0 && axis() >= kInner; --d) bytes *= Extent(axis());
      if (d == 0 || d == a.size()) continue;
      const int kept = axis();
      if (kept < 0 || bytes > tuning::kScatteredRun || Extent(kept) < 2) return -1;
      for (--d; d > 0 && axis() < kInner; --d) {
      }
      if (d == 0) continue;
      if (found >= 0 && found != kept) return -1;
      found = kept;
    }
  }
  if (found < 0 || loops_[0]->shape().is_tuple()) return -1;
  const double tasks = Results() / static_cast<double>(Extent(found));
  return tasks >= tuning::kTasksWithinSums ? found : -1;
}

}  // namespace sinter::plan
