#include "runtime/cpu/thread_choice.h"

#include <algorithm>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::Step;

// Steps that follow each other: the condition and body of a loop, a branch, the program.
class Sequence {
 public:
  explicit Sequence(int parallelism) : parallelism_(parallelism) {}

  void Add(const Step& step, size_t number) {
    const auto* launch = std::get_if<program::Launch>(&step.op);
    // What the library and others do in parallel they say themselves.
    if (launch == nullptr && !std::holds_alternative<program::Copy>(step.op)) return;
    if (const auto* copy = std::get_if<program::Copy>(&step.op);
        copy != nullptr && (copy->exchange || copy->keeps)) {
      if (copy->exchange) exchanged_[copy->source.allocation] = copy->destination.allocation;
      return;
    }
    bool is_parallel = false;
    if (launch != nullptr) {
      for (const program::Stage& stage : launch->stages) {
        const auto time = static_cast<double>(stage.nanoseconds);
        const int threads = ThreadsWorth(stage.nanoseconds, stage.tasks, parallelism_);
        is_parallel |= threads > 1;
        alone_ += time;
        together_ += threads > 1 ? time / threads + tuning::kCpuFork : time;
      }
      if (is_parallel) parallel_.push_back(number);
    }
    const program::Cost cost = program::CostOf(step);
    const int64_t most = cost.bytes_read + cost.bytes_written;
    int reads = launch != nullptr ? launch->operands : 0;  // buffers that are to come
    program::ForEachSlice(step, [&](const program::Slice& slice) {
      Use& use = uses_[slice.allocation];
      int64_t& bytes = is_parallel ? use.parallel : use.serial;
      bytes = std::max(bytes, std::min(slice.size, most));
      use.is_written |= reads-- <= 0;
    });
  }

  // The launches that had better run on one thread.
  std::vector<size_t> OnOneThread() const {
    // What exchanges its roles is one array to whoever uses it turn by turn.
    absl::flat_hash_map<int, Use> uses;
    for (const auto& [allocation, use] : uses_) {
      const auto other = exchanged_.find(allocation);
      Use& all = uses[other == exchanged_.end() ? allocation : other->second];
      all.serial = std::max(all.serial, use.serial);
      all.parallel = std::max(all.parallel, use.parallel);
      all.is_written |= use.is_written;
    }
    double moved = 0;
    for (const auto& [allocation, use] : uses)
      if (use.is_written) moved += static_cast<double>(std::min(use.serial, use.parallel));
    moved *= static_cast<double>(parallelism_ - 1) / parallelism_;
    if (together_ + moved * tuning::kNanosecondsOfMovedByte < alone_) return {};
    return parallel_;
  }

 private:
  struct Use {
    int64_t serial = 0, parallel = 0;  // bytes, of the step that uses the most
    bool is_written = false;           // else each core has its own copy
  };
  const int parallelism_;
  std::vector<size_t> parallel_;
  double alone_ = 0, together_ = 0;     // nanoseconds
  absl::flat_hash_map<int, Use> uses_;  // by allocation
  absl::flat_hash_map<int, int> exchanged_;
};

}  // namespace

int ThreadsWorth(int64_t nanoseconds, int64_t tasks, int parallelism) {
  const int64_t worth = nanoseconds / tuning::kNanosecondsPerThread;
  if (worth < 1) return 1;
  return static_cast<int>(std::min<int64_t>({worth + 1, tasks, parallelism}));
}

std::vector<bool> StepsOnOneThread(const program::Program& program, int parallelism) {
  std::vector<bool> on_one;
  if (parallelism < 2) return on_one;
  std::vector<Sequence> sequences{Sequence(parallelism)};
  // Lists of steps, those that come first last: nesting comes from the user.
  struct List {
    const std::vector<Step>* steps;
    size_t sequence, next = 0;
  };
  std::vector<List> stack{{&program.steps, 0}};
  size_t number = 0;
  while (!stack.empty()) {
    List& list = stack.back();
    if (list.next == list.steps->size()) {
      stack.pop_back();
      continue;
    }
    const Step& step = (*list.steps)[list.next++];
    sequences[list.sequence].Add(step, number++);
    const bool is_loop = std::holds_alternative<program::While>(step.op);
    const size_t first = stack.size();
    program::ForEachBody(step, [&](const std::vector<Step>& steps) {
      if (stack.size() == first || !is_loop) sequences.emplace_back(parallelism);
      stack.push_back({&steps, sequences.size() - 1});
    });
    std::reverse(stack.begin() + static_cast<ptrdiff_t>(first), stack.end());
  }
  on_one.assign(number, false);
  for (const Sequence& s : sequences)
    for (size_t n : s.OnOneThread()) on_one[n] = true;
  return on_one;
}

}  // namespace sinter::runtime::cpu
