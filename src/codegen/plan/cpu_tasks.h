// What the tasks of a nest are on a CPU.
#pragma once

#include <utility>

#include "codegen/plan/cpu_split.h"
#include "target/target.h"

namespace sinter::plan {

class TaskPlanner : protected SplitPlanner {
 protected:
  TaskPlanner(const HloComputation& region, const CpuMachine& machine, Box domain = {})
      : SplitPlanner(region, std::move(domain)), machine_(machine) {}

  // What goes through task buffers of those operands that are read transposed.
  void ChooseTransposedReads();
  int64_t ColumnsOfBlock() const;  // of one of these
  void ChooseTasks();
  // Whether the outputs are larger than what the caches hold.
  bool ArePastCaches() const;

  Interval DomainOf(size_t d) const { return domain_.empty() ? Interval{0, dims_[d]} : domain_[d]; }

  const CpuMachine& machine_;

 private:
  int64_t RowsOfBlock() const;
  // Whether a task of a transposed read writes a few short rows from end to end: bands of columns,
  // each of a task, would write parts of the same cache lines long after one another.
  bool CompletesRows() const;
  // Whether reductions or products give an element for each place along an axis of the outputs.
  bool LoopsKeep(int axis) const;
  // Blocks of `n` columns, no longer than `block`: where they are few, as many for each of two or
  // four threads, which then have the same parts of arrays as loops over rows give them.
  int64_t InEqualBlocks(int64_t n, int64_t block) const;
  // Tasks of little work: which indices each of them stands for would take longer to find than
  // what it does there. The inner axes are loops of a task then, while there are tasks enough.
  void LoopOverInnerTasks();
  // The innermost loop goes along the outputs' rows, or along what is read, if that is a short
  // axis: memory is then read in its order, and written in a few places side by side.
  void ReadInOrder();
};

}  // namespace sinter::plan
