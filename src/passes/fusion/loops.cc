#include "passes/fusion/loops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/op_cost.h"
#include "ir/layout.h"
#include "ir/results.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::fusion {
namespace {

// Columns of a tile in which the other axes of the region are walked too.
constexpr double kColumnsOfTask = 32;

// The axis of the region along which the reduction's operand is contiguous, or `kInner` where it
// reduces that dimension.
int ContiguousAxis(const HloInstruction& reduce, const Access& access) {
  const Shape& operand = reduce.operand(0)->shape();
  const int64_t minor = MinorDimension(operand);
  if (minor < 0 || absl::c_linear_search(reduce.dimensions(), minor)) return kInner;
  const AxisSet& axes = access[static_cast<size_t>(
      minor - absl::c_count_if(reduce.dimensions(), [&](int64_t d) { return d < minor; }))];
  return axes.empty() ? kInner : axes[0].first;
}

// Whether a reduction of the region is of what this one comes to.
bool IsReducedAgain(const HloInstruction& reduce, const Group& group) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> stack = UsersIn(reduce, group);
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (IsLoop(*i)) return true;
    if (!seen.insert(i).second) continue;
    absl::c_copy(UsersIn(*i, group), std::back_inserter(stack));
  }
  return false;
}

// How a target goes about reductions.
struct Reducer {
  double units = 1;        // that compute tasks: threads, multiprocessors
  double columns = 1;      // of results, which a task computes
  double enough = 0;       // tasks: of more none is cut into stages
  double shortest = 0;     // elements that are reduced where it is, in all
  double each = 0;         // and of a task
  double stays = 0;        // bytes of a task that are read once
  double start = 0;        // of a kernel, in nanoseconds of PriceOf
  bool is_narrow = false;  // the columns are no more than a line or two of a cache
};

// codegen/plan: cpu_schedule.cc, cpu_split.cc, gpu_schedule.cc. On a CPU half of the registers hold
// columns, but for long operations, which take them.
Reducer ReducerOf(const TargetInfo& target, const Group& group) {
  if (const GpuMachine* gpu = target.gpu()) {
    return {.units = static_cast<double>(gpu->multiprocessors),
            .columns = 128,
            .enough = tuning::kGpuSplitTasks / 4.,
            .each = 2. * tuning::kGpuChunkElements,
            .start = tuning::kGpuLaunch};
  }
  const CpuMachine& cpu = *target.cpu();
  const bool has_long =
      absl::c_any_of(group.members, [](auto* i) { return OpCost(*i) >= tuning::kLongOperation; });
  const int vectors = has_long ? 2 : cpu.vector_registers / 2;
  return {.units = static_cast<double>(cpu.threads),
          .columns = vectors * LanesOf(cpu),
          .enough = tuning::kFewestUncut - 1,
          .shortest = tuning::kLongReduction,
          .stays = static_cast<double>(cpu.l2_bytes),
          .start = tuning::kCpuFork * cpu.threads,
          .is_narrow = has_long};
}

// Whether a reduction had better be computed by the kernel of one that is of what it comes to. Each
// of the results, or each strip of columns, is then one task's. Of few results kernels by
// themselves are cut into stages, of which every thread has some; what they are reduced from is
// read twice, but in the order of memory.
FusionDecision CanJoinReader(const HloInstruction& reduce, double results, bool are_columns,
                             const Group& group, const TargetInfo& target) {
  const Shape& from = reduce.operand(0)->shape();
  const auto elements = static_cast<double>(from.element_count());
  const Reducer r = ReducerOf(target, group);
  const double tasks = are_columns ? std::ceil(results / r.columns) : results;
  if (tasks > r.enough || elements < std::max(r.shortest, tasks * r.each) ||
      !IsReducedAgain(reduce, group))
    return {};
  const double operations = elements * (group.cost + OpCost(reduce)),
               bytes = static_cast<double>(from.byte_size()),
               turns = std::ceil(tasks / r.units) * r.units / tasks;
  const double reads = bytes <= tasks * r.stays                  ? 1
                       : are_columns && tasks > 1 && r.is_narrow ? 2 * tuning::kNarrowStrip
                                                                 : 2;
  return ChooseCheaper(FusionReason::kReduceTasks,
                       PriceOf(target, operations, reads * bytes) * turns,
                       PriceOf(target, operations, 2 * bytes) + r.start);
}

FusionDecision CanJoinReduce(const HloInstruction& reduce, const Accesses& accesses,
                             const Group& group, const TargetInfo& target) {
  using Reason = FusionReason;
  if (accesses.size() != 1) return {Reason::kReduceAxes};
  absl::flat_hash_set<int> axes;
  for (const AxisSet& d : accesses[0]) {
    if (d.size() > 1) return {Reason::kReduceAxes};
    if (d.empty()) continue;
    if (d[0].first >= kInner || d[0].second != 1 || !axes.insert(d[0].first).second)
      return {Reason::kReduceAxes};
  }
  const Shape& result = ResultShape(reduce);
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (accesses[0][static_cast<size_t>(d)].empty() && result.dimension(d) != 1)
      return {Reason::kReduceAxes};
  }
  for (const HloInstruction* l : group.loops) {
    if (l->op() != HloOpcode::Reduce) return {Reason::kReduceAxes};
  }
  if (!group.loops.empty() && axes != group.loop_axes) return {Reason::kReduceAxes};
  // Vectors lie along one axis: an operand that is contiguous along another one than the others are
  // would be gathered, element by element.
  const Shape& from = reduce.operand(0)->shape();
  const bool is_large = from.element_count() >= tuning::kGatheredOperand;
  const int contiguous = ContiguousAxis(reduce, accesses[0]);
  if (is_large) {
    for (const HloInstruction* l : group.loops) {
      if (ContiguousAxis(*l, group.accesses.at(l)[0]) != contiguous) return {Reason::kReduceAxes};
    }
  }
  bool all = true;
  double tasks = 1;
  for (size_t d = 0; d < group.dims.size(); ++d) {
    const bool kept = axes.contains(static_cast<int>(d)) || group.dims[d] == 1;
    all &= kept;
    if (kept) tasks *= static_cast<double>(group.dims[d]);
  }
  const int last = static_cast<int>(group.dims.size()) - 1;
  const bool has_columns = axes.contains(last) && group.dims.back() > 1,
             are_columns = has_columns && contiguous == last;  // vectors of them are loaded
  if (all) return CanJoinReader(reduce, tasks, are_columns, group, target);
  if (axes.empty()) return {Reason::kReduceTasks};  // every task would compute it
  // Vectors across rows that are read from end to end would be gathered too.
  if (is_large && has_columns && contiguous == kInner) return {Reason::kReduceAxes};
  // The other axes are walked inside a task, which computes the reduction once: there must be
  // enough tasks.
  if (axes.contains(last)) tasks /= kColumnsOfTask;
  // Strips of columns that do not stay in the caches would be read again.
  const CpuMachine* cpu = target.cpu();
  if (are_columns && cpu != nullptr &&
      static_cast<double>(from.byte_size()) > tasks * static_cast<double>(cpu->l2_bytes))
    return {Reason::kReduceTasks};
  return {tasks >= 8 || from.element_count() < 1 << 14 ? Reason::kJoins : Reason::kReduceTasks};
}

// Whether a row of the reduction's results would be a column of rows too short for a vector, or of
// rows that single elements are put together to, each of which vectors would have masked: to
// transpose the results is little beside a reduction in such tiles, of any size (six sums of 50 x
// 1000 stacked, 95 to 5 us; of 4000 x 12, 77 to 10), or beside a long one of such rows themselves.
bool IsOfShortRows(const HloInstruction& reduce, const Accesses& accesses, const Group& group,
                   const TargetInfo& target) {
  constexpr int64_t kFewestStacked = 3;
  if (group.dims.size() < 2 || accesses.size() != 1 || accesses[0].empty()) return false;
  const AxisSet& minor = accesses[0].back();
  if (minor.size() != 1 || minor[0].first + 1 >= static_cast<int>(group.dims.size()) ||
      reduce.operand(0)->shape().element_count() < tuning::kGatheredOperand)
    return false;
  const auto n = static_cast<double>(group.dims.back()), lanes = LanesOf(target);
  const int64_t row = group.dims[static_cast<size_t>(minor[0].first)];
  if (n > 1 && static_cast<double>(SharedElements(group)) == n) return row >= kFewestStacked;
  const Shape& operand = reduce.operand(0)->shape();
  const bool are_rows = absl::c_linear_search(reduce.dimensions(), MinorDimension(operand));
  return n > 1 && 2 * n <= lanes && static_cast<double>(row) >= lanes &&
         (!are_rows || operand.element_count() >= tuning::kLongReduction);
}

// A scan walks along its dimension; what reads it must do so at each step's own element.
FusionReason CanJoinScan(const HloInstruction& scan, const Accesses& accesses, const Group& group) {
  const bool joins = group.loops.empty() && group.bases.empty() && accesses.size() == 1 &&
                     group.dims == ResultShape(scan).dimensions() &&
                     IsIdentity(accesses[0], group.dims.size()) &&
                     PlacesIn(scan, group) == Places{{0, 1}};
  return joins ? FusionReason::kJoins : FusionReason::kScanAxes;
}

FusionReason CanJoinDot(const HloInstruction& dot, const Accesses& accesses, const Group& group) {
  const bool joins = group.loops.empty() && accesses.size() == 1 &&
                     group.dims == dot.shape().dimensions() &&
                     IsIdentity(accesses[0], group.dims.size());
  return joins ? FusionReason::kJoins : FusionReason::kProductAxes;
}

}  // namespace

bool IsLoop(const HloInstruction& i) {
  return i.op() == HloOpcode::Reduce || i.op() == HloOpcode::Dot ||
         i.op() == HloOpcode::ReduceWindow;
}

FusionDecision CanJoinLoop(const HloInstruction& loop, const Accesses& accesses, const Group& group,
                           const TargetInfo& target) {
  switch (loop.op()) {
    case HloOpcode::Reduce:
      if (IsOfShortRows(loop, accesses, group, target)) return {FusionReason::kShortRows};
      return CanJoinReduce(loop, accesses, group, target);
    case HloOpcode::ReduceWindow:
      return {CanJoinScan(loop, accesses, group)};
    default:
      return {CanJoinDot(loop, accesses, group)};
  }
}

}  // namespace sinter::fusion
