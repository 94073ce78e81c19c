#include "codegen/plan/scatter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "target/tuning.h"

namespace sinter::plan {

void PlanScatter(const HloInstruction& scatter, Plan& plan) {
  // As many tasks as keep a few threads busy; windows of a task at least so large that reading the
  // indices again in each costs little; and columns of a task that are whole cache lines.
  const auto& a = scatter.attrs<ScatterAttrs>();
  const Dims& dims = scatter.operands().back()->shape().dimensions();
  auto extent = [&](int d) { return dims[static_cast<size_t>(d)]; };
  const int rank = static_cast<int>(dims.size());

  std::vector<bool> free(dims.size(), false), task(dims.size(), false);
  size_t next = 0;
  const int64_t array_rank = scatter.operand(0)->shape().rank();
  for (int64_t d = 0; d < array_rank; ++d) {
    if (absl::c_linear_search(a.inserted_window_dims, d) ||
        absl::c_linear_search(a.input_batching_dims, d))
      continue;
    const int u = static_cast<int>(a.update_window_dims[next++]);
    free[static_cast<size_t>(u)] = !absl::c_linear_search(a.scatter_dims_to_operand_dims, d);
    if (d == array_rank - 1 && extent(u) > 1) plan.col_dim = u;
  }
  int64_t tasks = 1, window = 1;  // elements of a window that a task has
  std::vector<int> batch;
  for (int d = 0; d < rank; ++d) {
    if (absl::c_linear_search(a.update_window_dims, d)) {
      window *= extent(d);
    } else {
      batch.push_back(d);
    }
  }
  auto make_task = [&](int d) {
    task[static_cast<size_t>(d)] = true;
    tasks *= extent(d);
    plan.task_dims.push_back(d);
  };
  for (int64_t d : a.scatter_indices_batching_dims)
    make_task(batch[static_cast<size_t>(d - (d > a.index_vector_dim ? 1 : 0))]);
  for (int d = 0; d < rank; ++d) {
    if (!free[static_cast<size_t>(d)] || d == plan.col_dim || tasks >= tuning::kScatterTasks)
      continue;
    if (window / extent(d) < tuning::kScatterWindow) continue;
    window /= extent(d);
    make_task(d);
  }
  for (int d : batch) {
    if (!task[static_cast<size_t>(d)]) plan.loop_dims.push_back(d);
  }
  for (int d = 0; d < rank; ++d) {
    if (absl::c_linear_search(a.update_window_dims, d) && d != plan.col_dim &&
        !task[static_cast<size_t>(d)])
      plan.loop_dims.push_back(d);
  }
  if (plan.col_dim >= 0) {
    const int64_t n = extent(plan.col_dim), wide = int64_t{4} * plan.lanes;
    plan.tile_cols = static_cast<int>(wide);
    while (plan.tile_cols / 2 >= n) plan.tile_cols /= 2;
    if (free[static_cast<size_t>(plan.col_dim)] && tasks < tuning::kScatterTasks &&
        n >= 2 * tuning::kScatterColumns) {
      plan.col_block = std::max(tuning::kScatterColumns, n / tuning::kScatterTasks / wide * wide);
      plan.col_blocks_are_tasks = true;
      plan.task_dims.push_back(plan.col_dim);
    }
  }
  plan.nest = Nest::kScatter;
  plan.nanoseconds += static_cast<double>(scatter.operands().back()->shape().element_count()) /
                      (plan.col_dim >= 0 ? plan.lanes : 1);
}

}  // namespace sinter::plan
