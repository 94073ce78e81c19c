#include "codegen/plan/finish.h"

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

void PlanFinish(const Accesses& accesses, const std::vector<const HloInstruction*>& loops,
                const std::vector<int64_t>& dims, Plan& plan) {
  if (plan.nest != Nest::kLoop || plan.col_dim >= 0 || plan.row_dim >= 0 ||
      plan.unrolled_dim >= 0 || dims.empty() || dims.back() < plan.lanes)
    return;
  absl::flat_hash_set<const HloInstruction*> after;  // what depends on the loops
  double work = 0;
  for (const HloInstruction* i : accesses.order) {
    const bool depends =
        absl::c_any_of(i->operands(), [&](const HloInstruction* o) { return after.contains(o); });
    if (OpensLoops(i)) {
      if (depends || !IsOfEachElement(*i, accesses, dims)) return;
    } else if (!depends) {
      continue;
    } else {
      work += OpCost(*i);
    }
    after.insert(i);
  }
  if (work < tuning::kLongOperation) return;
  int64_t tasks = 1;
  for (int64_t d : dims) tasks *= d;
  tasks /= plan.lanes;
  if (tasks < 16 && plan.nanoseconds > tuning::kFewTasks) return;
  plan.finish_dim = static_cast<int>(dims.size()) - 1;
  plan.finished = loops;
  plan.finish_cols = (tasks >= 64 && dims.back() >= 2 * plan.lanes ? 2 : 1) * plan.lanes;
}

}  // namespace sinter::plan
