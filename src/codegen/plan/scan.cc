#include "codegen/plan/scan.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/op_cost.h"
#include "target/tuning.h"

namespace sinter::plan {

namespace {

void SetScan(const HloInstruction& scan, Plan& plan) {
  const auto along =
      FindCumulative(scan.operand(0)->shape().dimensions(), scan.attrs<WindowAttrs>().window);
  plan.scan = &scan;
  plan.scan_dim = static_cast<int>(along->dimension);
  plan.scan_backwards = along->backwards;
}

// Short rows are one tile. Of longer ones, of which vectors are less than a line of the cache, a
// tile has two: 65536 x 1024 of U32 on AVX2 took 2.4 times as long by half lines, which go past the
// caches one by one, 200000 x 20 of F32 2.8 times in several tiles a row. Bytes gain nothing.
int ColumnsOfScan(const Shape& shape, int lanes) {
  const int64_t n = shape.dimensions().back();
  const int bytes = ByteWidth(shape.element_type());
  if (n <= 4 * lanes) return static_cast<int>(PowerOfTwoAtLeast(std::max<int64_t>(n, lanes)));
  return bytes > 1 && lanes * bytes < tuning::kLineBytes ? 2 * lanes : lanes;
}

// What the scanned elements are computed by, in units of OpCost an element.
double WorkBefore(const HloInstruction& scan, const Accesses& accesses) {
  absl::flat_hash_set<const HloInstruction*> before(scan.operands().begin(), scan.operands().end());
  double work = 0;
  for (auto i = accesses.order.rbegin(); i != accesses.order.rend(); ++i) {
    if (!before.contains(*i)) continue;
    work += OpCost(**i);
    before.insert((*i)->operands().begin(), (*i)->operands().end());
  }
  return work;
}

}  // namespace

bool PlanScanOfRows(const HloInstruction& scan, bool is_computed, Plan& plan) {
  const std::vector<int64_t>& dims = scan.operand(0)->shape().dimensions();
  Plan rows = plan;
  SetScan(scan, rows);
  const auto n = static_cast<int>(dims.size());
  if (rows.scan_dim != n - 1 || dims.back() < plan.lanes) return false;
  for (int d = 0; d < n - 1; ++d) {
    if (dims[static_cast<size_t>(d)] >= plan.lanes) rows.row_dim = d;  // the innermost
  }
  rows.col_dim = rows.scan_dim;
  if (rows.row_dim >= 0) {
    rows.tile_rows = plan.lanes;
    rows.tile_cols = ColumnsOfScan(scan.operand(0)->shape(), plan.lanes);
    rows.row_block = rows.tile_rows;
  } else if (is_computed) {
    rows.tile_cols = tuning::kVectorsOfOneRow * plan.lanes;
  } else {
    return false;
  }
  for (int d = 0; d < n - 1; ++d) rows.task_dims.push_back(d);
  plan = std::move(rows);
  return true;
}

void PlanStep(const HloInstruction& scan, const Accesses& accesses, Plan& plan) {
  const int vectors = plan.tile_cols / plan.lanes;  // of a row
  if (plan.tile_rows <= 1 ||
      WorkBefore(scan, accesses) * plan.tile_rows * vectors <= tuning::kMostScannedTile)
    return;
  plan.scan_step = std::clamp(tuning::kVectorsOfOneRow / vectors, 1, plan.tile_rows);
}

void PlanScan(const HloInstruction& scan, Plan& plan) {
  const std::vector<int64_t>& dims = scan.operand(0)->shape().dimensions();
  SetScan(scan, plan);
  plan.loop_dims = {plan.scan_dim};
  const int rank = static_cast<int>(dims.size());
  for (int d = 0; d < rank; ++d) {
    if (d != plan.scan_dim && dims[static_cast<size_t>(d)] > 1) plan.col_dim = d;
  }
  for (int d = 0; d < rank; ++d) {
    if (d != plan.scan_dim && d != plan.col_dim) plan.task_dims.push_back(d);
  }
  if (plan.col_dim < 0) return;
  // Several vectors hide the latency of one step, where they are contiguous in memory; fewer of
  // several results, which have two accumulators each.
  int64_t parts = 0;
  for (size_t k = 0; k < scan.operands().size() / 2; ++k)
    parts += IsComplex(scan.operand(k)->shape().element_type()) ? 2 : 1;
  int64_t vectors = plan.col_dim == rank - 1 ? 4 : 1;
  while (vectors > 1 && 2 * parts * vectors > 24) vectors /= 2;
  const int64_t wide = vectors * plan.lanes;
  const int64_t n = dims[static_cast<size_t>(plan.col_dim)];
  while (plan.tile_cols < std::min(wide, n)) plan.tile_cols *= 2;
  plan.col_block = plan.tile_cols;
  plan.col_blocks_are_tasks = true;
  plan.task_dims.push_back(plan.col_dim);
}

}  // namespace sinter::plan
