#include "codegen/plan/cpu_tasks.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "codegen/plan/alignment.h"
#include "codegen/plan/transposed_reads.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

std::vector<const HloInstruction*> Parameters(const std::vector<TransposedRead>& reads) {
  std::vector<const HloInstruction*> parameters;
  for (const TransposedRead& r : reads) parameters.push_back(r.parameter);
  return parameters;
}

// Elements of a line of the cache, of those values that have the narrowest ones.
int64_t LineOf(const std::vector<const HloInstruction*>& values) {
  int bytes = tuning::kLineBytes;
  for (const HloInstruction* i : values)
    bytes = std::min(bytes, ByteWidth(i->shape().element_type()));
  return tuning::kLineBytes / bytes;
}

// The elements of blocks of an axis of `n`, all of which have as many: `most`, unless the last one
// would then compute much again, or is the only one.
int64_t InBlocks(int64_t n, int64_t most, int64_t unit) {
  const int64_t blocks = (n + most - 1) / most;
  if (blocks * most <= n + n / 8) return most;
  return std::min(n, (n + blocks * unit - 1) / (blocks * unit) * unit);
}

}  // namespace

// A tile that is transposed in registers and stored at once uses a part of each line that it reads,
// and fills a part of each that it writes. That is as well where the lines are still in the caches
// when the tile beside it is computed, and registers take whole vectors of elements.
void TaskPlanner::ChooseTransposedReads() {
  if (!transposed_ || !loops_.empty() || !accesses_.complete || plan_.unrolled_dim >= 0 ||
      plan_.col_dim + 1 != static_cast<int>(dims_.size()) || Window(region_))
    return;
  Box domain;
  for (size_t d = 0; d < dims_.size(); ++d) domain.push_back(DomainOf(d));
  std::vector<TransposedRead> reads =
      FindTransposedReads(accesses_, domain, plan_.row_dim, plan_.col_dim);
  // Wider elements fill the lines that a tile reads and writes: F32 takes up to 15 % longer this
  // way.
  const bool pays = absl::c_any_of(reads, [&](const TransposedRead& r) {
    return ByteWidth(r.parameter->shape().element_type()) < 4 &&
           (ArePastCaches() || LinesInCache(StrideOf(r, plan_.col_dim)) < tuning::kLinesOfTile);
  });
  if (!pays || Extent(plan_.row_dim) < LineOf(Parameters(reads)) ||
      Extent(plan_.col_dim) < LineOf(outputs_))
    return;
  plan_.transposed_reads = std::move(reads);
  plan_.square = tuning::kSquare;
}

// Two lines of each output's rows, ...
int64_t TaskPlanner::ColumnsOfBlock() const {
  return InBlocks(Extent(plan_.col_dim), 2 * LineOf(outputs_), plan_.lanes);
}
// ... and one of what is read.
int64_t TaskPlanner::RowsOfBlock() const {
  return InBlocks(Extent(plan_.row_dim), LineOf(Parameters(plan_.transposed_reads)), plan_.square);
}

void TaskPlanner::ChooseTasks() {
  if (!plan_.transposed_reads.empty()) {
    // In the order of what is read.
    plan_.row_block = RowsOfBlock();
    plan_.col_block = ColumnsOfBlock();
    plan_.col_blocks_are_tasks = true;
    plan_.task_dims.insert(plan_.task_dims.end(), {plan_.col_dim, plan_.row_dim});
    return;
  }
  if (plan_.row_dim >= 0) {
    if (transposed_) {
      const bool keeps_columns = LoopsKeep(plan_.col_dim);
      if (row_is_task_ && !loops_.empty() && (!plan_.loop_dims.empty() || !keeps_columns)) {
        // Reductions run once a tile, and what is read again along the other axes is inside of it.
        plan_.row_block = plan_.tile_rows;
        plan_.task_dims.push_back(plan_.row_dim);
        plan_.col_block = keeps_columns ? plan_.tile_cols : 0;
        plan_.col_blocks_are_tasks = keeps_columns;
        if (keeps_columns) plan_.task_dims.push_back(plan_.col_dim);
        return;
      }
      if (CompletesRows()) {
        plan_.row_block = 4 * plan_.tile_rows;
        plan_.task_dims.push_back(plan_.row_dim);
        return;
      }
      // A task reads one tile's rows of the operand from end to end, as the prefetcher likes it,
      // and writes whole cache lines, which need no neighbours.
      plan_.col_block = plan_.tile_cols;
      plan_.col_blocks_are_tasks = true;
      plan_.task_dims.push_back(plan_.col_dim);
      const int64_t rows = Extent(plan_.row_dim),
                    bands = (Extent(plan_.col_dim) + plan_.tile_cols - 1) / plan_.tile_cols;
      if (bands < 64 && rows >= 8 * plan_.tile_rows) {
        plan_.row_block = 4 * plan_.tile_rows;
        plan_.task_dims.push_back(plan_.row_dim);
      }
      return;
    }
    if (row_is_task_) {
      plan_.row_block = plan_.tile_rows;
      plan_.task_dims.push_back(plan_.row_dim);
    }
  }
  if (plan_.col_dim < 0) return;
  const int64_t n = Extent(plan_.col_dim);
  if (plan_.unrolled_dim >= 0) {
    // Tasks of about as much work as of simple operations on so many elements.
    const double each =
        std::max(1.0, work_ / Results()) * static_cast<double>(Extent(plan_.unrolled_dim));
    const auto tiles = static_cast<int64_t>(tuning::kTaskElements * 8 / each / plan_.tile_cols);
    plan_.col_block = std::max<int64_t>(1, tiles) * plan_.tile_cols;
    plan_.col_blocks_are_tasks = n > plan_.col_block;
    if (!plan_.col_blocks_are_tasks) plan_.col_block = 0;
    if (plan_.col_blocks_are_tasks) plan_.task_dims.push_back(plan_.col_dim);
    return LoopOverInnerTasks();
  }
  double outer = 1;
  for (int d : plan_.task_dims) outer *= static_cast<double>(dims_[static_cast<size_t>(d)]);
  // The column axis becomes tasks where reductions keep it, or where it is all there is.
  if (LoopsKeep(plan_.col_dim)) {
    // Rows are tasks enough, if there are many.
    const bool rows = plan_.row_dim >= 0 && outer / plan_.tile_rows >= 16;
    plan_.col_block = rows ? 0 : plan_.tile_cols;
    plan_.col_blocks_are_tasks = plan_.col_block > 0;
  } else if (loops_.empty() && outer < 64) {
    constexpr int64_t kFewestTasks = 8;  // left where tasks get longer
    const double each = std::max(1., work_ / Results() / tuning::kLongElement);
    auto tiles_of = [&](double elements) {
      return std::max<int64_t>(1, static_cast<int64_t>(elements) / plan_.tile_cols) *
             plan_.tile_cols;
    };
    int64_t least = tiles_of(tuning::kTaskElements / each);
    // Instead of a single task a few, if what they compute is worth a thread each.
    if (n <= 2 * least)
      least = tiles_of(Results() * static_cast<double>(tuning::kNanosecondsPerThread) /
                       std::max(1., PriceOf(machine_, work_, 0)));
    if (n > 2 * least) {
      plan_.col_block = least;
      while (plan_.col_block < 4 * least && n % (2 * plan_.col_block) == 0 &&
             n >= kFewestTasks * 2 * plan_.col_block)
        plan_.col_block *= 2;
      plan_.col_block = InEqualBlocks(n, plan_.col_block);
      plan_.col_blocks_are_tasks = true;
    }
  }
  if (plan_.col_blocks_are_tasks) plan_.task_dims.push_back(plan_.col_dim);
  LoopOverInnerTasks();
}

bool TaskPlanner::LoopsKeep(int axis) const {
  return absl::c_any_of(loops_, [&](const HloInstruction* i) {
    return absl::c_any_of(accesses_.of.at(i), [&](const Access& a) { return Uses(a, axis); });
  });
}

int64_t TaskPlanner::InEqualBlocks(int64_t n, int64_t block) const {
  constexpr int64_t kMany = 16, kThreads = 4;
  int64_t tasks = (n + block - 1) / block;
  if (tasks >= kMany) return block;
  tasks = (tasks + kThreads - 1) / kThreads * kThreads;
  const int64_t tiles = (n + plan_.tile_cols - 1) / plan_.tile_cols;
  return std::max<int64_t>(1, (tiles + tasks - 1) / tasks) * plan_.tile_cols;
}

bool TaskPlanner::CompletesRows() const {
  const int64_t columns = Extent(plan_.col_dim);
  const bool in_lines = HasAlignedRows(outputs_[0]->shape(), plan_.lanes) && ArePastCaches();
  return columns <= tuning::kCompletedRow && !in_lines &&
         Extent(plan_.row_dim) >= tuning::kCompletedRows * plan_.tile_rows;
}

void TaskPlanner::LoopOverInnerTasks() {
  if (!loops_.empty() || transposed_ || !plan_.boxes.empty()) return;
  auto tasks_of = [&](int d) {
    const int64_t block = d == plan_.row_dim   ? plan_.row_block
                          : d == plan_.col_dim ? plan_.col_block
                                               : 1;
    return static_cast<double>((Extent(d) + block - 1) / std::max<int64_t>(1, block));
  };
  double tasks = 1;
  for (int d : plan_.task_dims) tasks *= tasks_of(d);
  const double all = std::max(work_, Results());
  while (plan_.task_dims.size() > 1) {
    const int d = plan_.task_dims.back();
    const double fewer = tasks / tasks_of(d);
    if (d == plan_.row_dim || d == plan_.col_dim || fewer < tuning::kEnoughTasks ||
        all / tasks >= tuning::kTaskElements)
      return;
    tasks = fewer;
    plan_.task_dims.pop_back();
    plan_.loop_dims.insert(plan_.loop_dims.begin(), d);
    ReadInOrder();
  }
}

void TaskPlanner::ReadInOrder() {
  constexpr int64_t kPlaces = 16;
  std::vector<int>& loops = plan_.loop_dims;
  if (loops.size() < 2) return;
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() != HloOpcode::Parameter || accesses_.of.at(i).size() != 1) continue;
    const Access& a = accesses_.of.at(i)[0];
    for (size_t k = a.size(); k-- > 0;) {
      if (a[k].size() != 1) continue;
      const auto inner = std::find(loops.begin(), loops.end(), a[k][0].axis);
      if (inner == loops.end()) continue;
      if (Extent(*inner) <= kPlaces && Extent(*inner) < Extent(loops.back()))
        std::rotate(inner, inner + 1, loops.end());
      return;
    }
  }
}

bool TaskPlanner::ArePastCaches() const {
  return absl::c_all_of(outputs_, [&](const HloInstruction* o) {
    return o->shape().byte_size() >= tuning::StreamedBytes(machine_.l3_bytes) &&
           !IsComplex(o->shape().element_type());
  });
}

}  // namespace sinter::plan
