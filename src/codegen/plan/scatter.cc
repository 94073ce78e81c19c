#include "codegen/plan/scatter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/analysis/scatter_updates.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

// Where other tasks are few. `batch` are the dimensions of index vectors that go in order.
void ShareUpdates(const HloInstruction& scatter, const std::vector<int>& batch,
                  const CpuMachine& machine, Plan& plan) {
  const auto& a = scatter.attrs<ScatterAttrs>();
  const size_t n = scatter.operands().size() / 2;
  const Shape &updates = scatter.operands().back()->shape(), &array = scatter.operand(0)->shape();
  const int64_t count = updates.element_count();
  if (count < tuning::kSharedScatter || batch.empty()) return;
  const auto longest = *absl::c_max_element(
      batch, [&](int x, int y) { return updates.dimension(x) < updates.dimension(y); });
  if (HasSeparateUpdates(scatter) && updates.dimension(longest) >= tuning::kScatterTasks) {
    plan.cut_dim = longest;
    plan.chunks = tuning::kScatterTasks;
    return;
  }
  if (const int64_t copies = ScatterCopies(scatter);
      copies > 0 && updates.dimension(longest) >= copies) {
    plan.cut_dim = longest;
    plan.copies = copies;
    const bool pays = count >= copies * tuning::kUpdatesPerElement * tuning::kScatterBanks *
                                   array.element_count();
    int64_t bytes = 0;
    for (size_t k = 0; k < n; ++k) bytes += scatter.operand(k)->shape().byte_size();
    if (pays && plan.col_dim < 0 && bytes * tuning::kScatterBanks <= tuning::kScatterBankBytes)
      plan.banks = tuning::kScatterBanks;
    return;
  }
  // Windows that are one element wide along a dimension, so that each is in one part of it.
  int64_t window = 0;
  for (size_t k = 0; k < n; ++k) window += ByteWidth(scatter.operand(k)->shape().element_type());
  for (int64_t d : a.update_window_dims) window *= updates.dimension(d);
  if (window < tuning::kOwnedWindowBytes) return;
  int owned = -1;
  for (int64_t d : a.scatter_dims_to_operand_dims) {
    if (absl::c_linear_search(a.inserted_window_dims, d) &&
        (owned < 0 || array.dimension(d) > array.dimension(owned)))
      owned = static_cast<int>(d);
  }
  const int64_t owners = std::min<int64_t>(machine.threads, tuning::kScatterTasks);
  if (owned < 0 || owners < 2 || array.dimension(owned) < owners) return;
  plan.cut_dim = batch.back();
  plan.owned_dim = owned;
  plan.owners = owners;
}

// Whether the value at an element is more than one of a parameter, a constant or a position.
bool IsComputed(const HloInstruction* i) {
  switch (i->op()) {
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Iota:
      return false;
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
    case HloOpcode::OptimizationBarrier:
      return IsComputed(i->operand(0));
    default:
      return true;
  }
}

}  // namespace

void PlanScatter(const HloInstruction& scatter, const CpuMachine& machine, Plan& plan) {
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
  const auto vector_dim = static_cast<int>(VectorDimension(scatter));
  for (int d : batch) {
    if (!task[static_cast<size_t>(d)] && d != vector_dim) plan.loop_dims.push_back(d);
  }
  for (int d = 0; d < rank; ++d) {
    if (absl::c_linear_search(a.update_window_dims, d) && d != plan.col_dim &&
        !task[static_cast<size_t>(d)])
      plan.loop_dims.push_back(d);
  }
  if (vector_dim >= 0) {
    plan.loop_dims.push_back(vector_dim);
    for (size_t k = scatter.operands().size() / 2; k < scatter.operands().size(); ++k) {
      if (IsComputed(scatter.operand(k))) plan.vectors.push_back(scatter.operand(k));
    }
    if (!plan.vectors.empty()) plan.vector_dim = vector_dim;
  }
  if (plan.col_dim >= 0) {
    const int64_t n = extent(plan.col_dim), wide = int64_t{4} * plan.lanes;
    plan.tile_cols = static_cast<int>(wide);
    while (plan.tile_cols / 2 >= n) plan.tile_cols /= 2;
    if (free[static_cast<size_t>(plan.col_dim)] && tasks < tuning::kScatterTasks &&
        n >= 2 * tuning::kScatterColumns) {
      plan.col_block = std::max(tuning::kScatterColumns, n / tuning::kScatterTasks / wide * wide);
      // As many for each thread, where there are few.
      const int64_t threads = std::max<int64_t>(1, machine.threads), blocks = n / plan.col_block;
      if (blocks < tuning::kScatterTasks) {
        const int64_t even = blocks < threads ? blocks : blocks / threads * threads;
        plan.col_block = ((n + even - 1) / even + wide - 1) / wide * wide;
      }
      plan.col_blocks_are_tasks = true;
      plan.task_dims.push_back(plan.col_dim);
    }
  }
  if (plan.task_dims.empty()) {
    std::vector<int> ordered = batch;
    std::erase_if(ordered, [&](int d) { return task[static_cast<size_t>(d)]; });
    ShareUpdates(scatter, ordered, machine, plan);
  }
  plan.nest = Nest::kScatter;
  plan.nanoseconds += static_cast<double>(scatter.operands().back()->shape().element_count()) /
                      (plan.col_dim >= 0 ? plan.lanes : 1);
}

}  // namespace sinter::plan
