#include "codegen/plan/finish.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "codegen/plan/planner.h"
#include "ir/analysis/op_cost.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

// Whether each element of the outputs has a result of its own.
bool IsOfEachElement(const HloInstruction& loop, const Accesses& all,
                     const std::vector<int64_t>& dims) {
  const auto& accesses = all.of.at(&loop);
  const auto& offsets = all.offsets.at(&loop);
  if (accesses.size() != 1 || accesses[0].size() != dims.size()) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (accesses[0][d] != AccessDim{AxisTerm{static_cast<int>(d), 1}} || offsets[0][d] != 0)
      return false;
  }
  return true;
}

}  // namespace

std::optional<WorkAroundLoops> FindWorkAroundLoops(const Accesses& accesses,
                                                   const std::vector<const HloInstruction*>& loops,
                                                   const std::vector<int64_t>& dims) {
  if (loops.empty()) return std::nullopt;
  absl::flat_hash_set<const HloInstruction*> after;
  WorkAroundLoops work;
  for (const HloInstruction* i : accesses.order) {
    const bool depends =
        absl::c_any_of(i->operands(), [&](const HloInstruction* o) { return after.contains(o); });
    if (OpensLoops(i)) {
      if (depends || !IsOfEachElement(*i, accesses, dims)) return std::nullopt;
    } else if (!depends) {
      work.longest_before = std::max(work.longest_before, OpCost(*i));
      continue;
    } else {
      work.after += OpCost(*i);
    }
    after.insert(i);
  }
  return work;
}

void PlanFinish(const std::vector<const HloInstruction*>& loops, const std::vector<int64_t>& dims,
                Plan& plan) {
  if (dims.empty() || dims.back() < plan.lanes || plan.unrolled_dim >= 0) return;
  const int minor = static_cast<int>(dims.size()) - 1;
  if (plan.col_dim >= 0) {
    // Parts of a tile are whole.
    int part = std::min(plan.tile_cols, 2 * plan.lanes);
    if (plan.tile_cols % part != 0) part = plan.lanes;
    if (plan.col_dim != minor || plan.slide_dim >= 0 || plan.tile_rows * plan.tile_cols <= part ||
        plan.tile_cols % part != 0)
      return;
    plan.finish_cols = part;
  } else {
    if (plan.nest != Nest::kLoop || plan.row_dim >= 0) return;
    int64_t tasks = 1;
    for (int64_t d : dims) tasks *= d;
    tasks /= plan.lanes;
    if (tasks < 16 && plan.nanoseconds > tuning::kFewTasks) return;
    plan.finish_cols = (tasks >= 64 && dims.back() >= 2 * plan.lanes ? 2 : 1) * plan.lanes;
  }
  plan.finish_dim = minor;
  plan.finished = loops;
}

}  // namespace sinter::plan
