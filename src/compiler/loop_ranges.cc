#include "compiler/loop_ranges.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/kernel/compose.h"
#include "codegen/kernel/stages.h"
#include "compiler/buffer_uses.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::compiler {
namespace {

using program::Launch;
using program::Stage;
using program::Step;
using KernelOf = std::function<KernelUses(int kernel)>;

// Of arrays that are smaller, tasks may use anything.
constexpr int64_t kSmallArray = int64_t{64} << 10;

bool IsNear(const Launch& launch, const KernelOf& kernel_of) {
  for (const std::vector<program::BufferUse>& stage : *kernel_of(launch.kernel).uses) {
    for (size_t b = 0; b < stage.size() && b < launch.buffers.size(); ++b) {
      if (stage[b].share > program::Share::kOwn && launch.buffers[b].size > kSmallArray)
        return false;
    }
  }
  return true;
}

bool MayBeCut(const program::While& loop, const KernelOf& kernel_of) {
  return loop.turns >= tuning::kLeastTurnsInBlocks && program::LaunchesOnly(loop) &&
         absl::c_all_of(loop.body, [&](const Step& step) {
           const auto* launch = std::get_if<Launch>(&step.op);
           return launch == nullptr || IsNear(*launch, kernel_of);
         });
}

// Calls f with each loop that may be cut.
template <class F>
void ForEachLoop(std::vector<Step>& steps, const KernelOf& kernel_of, const F& f) {
  for (Step& step : steps) {
    auto* loop = std::get_if<program::While>(&step.op);
    if (loop != nullptr && MayBeCut(*loop, kernel_of)) {
      f(*loop);
    } else {
      program::ForEachBody(step, [&](std::vector<Step>& body) { ForEachLoop(body, kernel_of, f); });
    }
  }
}
template <class F>
void ForEachLaunch(program::While& loop, const F& f) {
  for (Step& step : loop.body) {
    if (auto* launch = std::get_if<Launch>(&step.op)) f(*launch);
  }
}

// Whether what a turn uses is in parts of a cache's size that have tasks enough.
bool HasSmallTasks(program::While& loop, const KernelOf& kernel_of, int64_t l2_bytes) {
  absl::flat_hash_map<std::pair<int, int64_t>, int64_t> sizes;
  std::optional<int64_t> fewest;
  ForEachLaunch(loop, [&](const Launch& launch) {
    bool is_large = false;
    for (const program::Slice& s : launch.buffers) {
      int64_t& size = sizes[{s.allocation, s.offset}];
      size = std::max(size, s.size);
      is_large |= s.size > kSmallArray;
    }
    if (!is_large) return;
    const kernel::Kernel& kernel = *kernel_of(launch.kernel).kernel;
    int64_t tasks = 1;
    for (const kernel::Op& op : kernel.top.ops) {
      if (kernel::IsStage(op)) tasks = std::max(tasks, kernel::TasksOf(kernel, op, {}).value_or(1));
    }
    fewest = std::min(fewest.value_or(tasks), tasks);
  });
  double bytes = 0;
  for (const auto& [place, size] : sizes) bytes += static_cast<double>(size);
  return fewest &&
         static_cast<double>(*fewest) * tuning::kPartOfCache * static_cast<double>(l2_bytes) >=
             bytes * static_cast<double>(tuning::kLeastTasksInPart);
}

void StoreInCaches(std::vector<kernel::Op>& ops) {
  for (kernel::Op& op : ops) {
    op.non_temporal = false;
    for (kernel::Block& region : op.regions) StoreInCaches(region.ops);
  }
}

double NanosecondsOf(program::While& loop) {
  double turn = 0;
  ForEachLaunch(loop, [&](const Launch& launch) {
    for (const Stage& stage : launch.stages) turn += static_cast<double>(stage.nanoseconds);
  });
  return turn * static_cast<double>(loop.turns);
}

}  // namespace

void KeepInCaches(std::vector<Step>& steps, int64_t l2_bytes, const KernelOf& kernel_of) {
  ForEachLoop(steps, kernel_of, [&](program::While& loop) {
    if (!HasSmallTasks(loop, kernel_of, l2_bytes)) return;
    ForEachLaunch(loop, [&](const Launch& launch) {
      StoreInCaches(kernel_of(launch.kernel).kernel->top.ops);
    });
  });
}

void StateRanges(std::vector<Step>& steps, const KernelOf& kernel_of) {
  ForEachLoop(steps, kernel_of, [&](program::While& loop) {
    const double nanoseconds = NanosecondsOf(loop);
    if (nanoseconds < tuning::kLeastLoopInBlocks) return;
    const auto most = static_cast<int64_t>(nanoseconds / tuning::kNanosecondsPerWalk);
    ForEachLaunch(loop, [&](Launch& launch) {
      std::vector<int64_t> sizes;
      for (const program::Slice& s : launch.buffers) sizes.push_back(s.size);
      size_t k = 0;
      const kernel::Kernel& kernel = *kernel_of(launch.kernel).kernel;
      for (const kernel::Op& op : kernel.top.ops) {
        if (!kernel::IsStage(op) || k == launch.stages.size()) continue;
        const int64_t operations = std::max<int64_t>(kernel::OperationCount(op), 1);
        launch.stages[k++].ranges =
            RangesOf(kernel, op, sizes, std::min(most / operations, tuning::kMostTasksInBlocks));
      }
    });
  });
}

}  // namespace sinter::compiler
