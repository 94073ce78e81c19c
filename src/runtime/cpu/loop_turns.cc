#include "runtime/cpu/loop_turns.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::Allocation;
using program::Residence;
using program::Step;

class Reader {
 public:
  Reader(const program::Program& program, const FlatProgram& flat)
      : program_(program), flat_(flat) {}

  std::vector<Turns> Read() {
    Number(program_.steps);
    std::vector<Turns> out;
    for (size_t n = 0; n < steps_.size(); ++n) {
      const auto* loop = std::get_if<program::While>(&steps_[n]->op);
      if (loop == nullptr || !IsStated(*loop)) continue;
      Read(*loop, static_cast<int32_t>(n), out);
    }
    return out;
  }

 private:
  // In the order of FlatProgram::step_of.
  void Number(const std::vector<Step>& steps) {
    // Nesting comes from the user: an explicit stack.
    std::vector<std::pair<const std::vector<Step>*, size_t>> stack{{&steps, 0}};
    while (!stack.empty()) {
      auto& [list, next] = stack.back();
      if (next == list->size()) {
        stack.pop_back();
        continue;
      }
      const Step& step = (*list)[next++];
      steps_.push_back(&step);
      const auto begin = static_cast<ptrdiff_t>(stack.size());
      program::ForEachBody(step,
                           [&](const std::vector<Step>& body) { stack.emplace_back(&body, 0); });
      std::reverse(stack.begin() + begin, stack.end());
    }
  }

  // Whether the compiler has said of all of a turn what it uses.
  static bool IsStated(const program::While& loop) {
    return loop.turns >= tuning::kLeastTurnsInBlocks && program::LaunchesOnly(loop) &&
           absl::c_all_of(loop.body, [&](const Step& step) {
             const auto* launch = std::get_if<program::Launch>(&step.op);
             return launch == nullptr ||
                    absl::c_all_of(launch->stages, [&](const program::Stage& stage) {
                      return stage.tasks <= 0 || IsStated(*launch, stage);
                    });
           });
  }
  static bool IsStated(const program::Launch& launch, const program::Stage& stage) {
    return !stage.ranges.empty() && absl::c_all_of(stage.ranges, [&](const program::TaskRanges& r) {
      return r.buffer >= 0 && r.buffer < std::ssize(launch.buffers) &&
             std::ssize(r.bounds) == 2 * stage.tasks;
    });
  }

  // Wherever the loop is laid out: several times in a loop that is itself laid out twice.
  void Read(const program::While& loop, int32_t number, std::vector<Turns>& out) {
    const int32_t body = number + 1 + static_cast<int32_t>(loop.condition.size()),
                  end = body + static_cast<int32_t>(loop.body.size());
    std::optional<Turns> turns;
    bool is_whole = true;
    for (int32_t at = 0; at < static_cast<int32_t>(flat_.code.size()); ++at) {
      const FlatStep& i = flat_.code[static_cast<size_t>(at)];
      const int32_t step = flat_.step_of[static_cast<size_t>(at)];
      if (!turns && step >= number && step < body) {
        turns.emplace();
        turns->begin = at;
        turns->count = loop.turns;
        is_whole = true;
      }
      if (!turns) continue;
      if (i.kind == FlatStep::Kind::kJumpIfFalse) {
        if (turns->period++ == 0) turns->entry = at;
        turns->exit = at;
      } else if (i.kind == FlatStep::Kind::kJump) {
        if (is_whole) out.push_back(*std::move(turns));
        turns.reset();
      } else if (step >= body && step < end) {
        // Copies are laid out where storage does not exchange its roles.
        is_whole &= i.kind == FlatStep::Kind::kLaunch;
        if (is_whole) Add(at, *steps_[static_cast<size_t>(step)], *turns);
      }
    }
  }

  void Add(int32_t at, const Step& step, Turns& turns) {
    const FlatStep& i = flat_.code[static_cast<size_t>(at)];
    const auto& launch = std::get<program::Launch>(step.op);
    turns.bytes += static_cast<double>(launch.cost.bytes_read + launch.cost.bytes_written);
    int32_t s = i.first;
    for (const program::Stage& stage : launch.stages) {
      if (stage.tasks <= 0) continue;  // which is not laid out
      TurnStage out{at, s++, stage.tasks};
      out.task_nanoseconds =
          static_cast<double>(stage.nanoseconds) / static_cast<double>(stage.tasks);
      for (const program::TaskRanges& r : stage.ranges) out.accesses.push_back(AccessOf(i, r));
      PlaceTasks(stage, launch, out);
      turns.stages.push_back(std::move(out));
    }
  }

  Access AccessOf(const FlatStep& launch, const program::TaskRanges& ranges) {
    if (places_.empty()) ReadPlaces();
    Access access;
    std::tie(access.object, access.offset) =
        places_[static_cast<size_t>(launch.pointer + ranges.buffer)];
    access.is_written = ranges.is_written;
    access.bounds = &ranges.bounds;
    for (size_t k = 2; k < ranges.bounds.size(); ++k)
      access.ascends &= ranges.bounds[k] >= ranges.bounds[k - 2];
    return access;
  }

  // Of each entry of the table of pointers, the object and the offset in it.
  void ReadPlaces() {
    places_.resize(static_cast<size_t>(flat_.pointers));
    for (size_t a = 0; a < flat_.by_allocation.size(); ++a) {
      const Allocation& allocation = program_.allocations[a];
      auto object = static_cast<int>(a);
      int64_t offset = 0;
      if (allocation.residence == Residence::kTemp) {
        object = -1;
        offset = allocation.offset;
      } else if (allocation.residence == Residence::kResult && allocation.aliased_argument >= 0) {
        const auto argument = absl::c_find_if(program_.allocations, [&](const Allocation& other) {
          return other.residence == Residence::kArgument &&
                 other.index == allocation.aliased_argument;
        });
        object = static_cast<int>(argument - program_.allocations.begin());
      }
      for (const FlatProgram::Pointer& p : flat_.by_allocation[a])
        places_[static_cast<size_t>(p.entry)] = {object, offset + p.offset};
    }
  }

  // By the middle of what a task writes first, of its buffer.
  static void PlaceTasks(const program::Stage& stage, const program::Launch& launch,
                         TurnStage& out) {
    const auto written =
        absl::c_find_if(stage.ranges, [](const program::TaskRanges& r) { return r.is_written; });
    for (int64_t t = 0; t < stage.tasks; ++t) {
      float place = 0.5F;
      if (written != stage.ranges.end()) {
        const int64_t size = launch.buffers[static_cast<size_t>(written->buffer)].size;
        const auto k = static_cast<size_t>(2 * t);
        if (size > 0)
          place = static_cast<float>(written->bounds[k] + written->bounds[k + 1]) /
                  static_cast<float>(2 * size);
      }
      out.places.push_back(std::clamp(place, 0.0F, 1.0F));
    }
  }

  const program::Program& program_;
  const FlatProgram& flat_;
  std::vector<const Step*> steps_;               // by number
  std::vector<std::pair<int, int64_t>> places_;  // by entry of the table of pointers
};

// The first task for which `is_before` does not hold, which it does for those before.
template <class F>
int64_t FirstTask(int64_t tasks, F&& is_before) {
  int64_t begin = 0, end = tasks;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (is_before(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// The tasks of `before` that `task` may not overtake, for one access of each.
Dependence DependenceOf(const Access& after, int64_t task, const Access& before, int64_t tasks,
                        int32_t back) {
  const int64_t lo = after.lo(task), hi = after.hi(task);
  int64_t first = tasks, last = 0;
  if (before.ascends) {
    first = FirstTask(tasks, [&](int64_t t) { return before.hi(t) <= lo; });
    last = FirstTask(tasks, [&](int64_t t) { return before.lo(t) < hi; });
  } else {
    for (int64_t t = 0; t < tasks; ++t) {
      if (before.hi(t) <= lo || before.lo(t) >= hi) continue;
      first = std::min(first, t);
      last = t + 1;
    }
  }
  return {back, static_cast<int32_t>(first), static_cast<int32_t>(lo < hi ? last : first)};
}

// Adds what is not said yet.
void Add(const Dependence& d, std::vector<Dependence>& to) {
  if (d.lo >= d.hi) return;
  for (Dependence& known : to) {
    if (known.back != d.back || d.lo > known.hi || known.lo > d.hi) continue;
    known.lo = std::min(known.lo, d.lo);
    known.hi = std::max(known.hi, d.hi);
    return;
  }
  to.push_back(d);
}

}  // namespace

std::vector<Turns> ReadTurns(const program::Program& program, const FlatProgram& flat) {
  return Reader(program, flat).Read();
}

bool FindDependences(Turns& turns, int64_t most) {
  const auto count = static_cast<int32_t>(turns.stages.size());
  int64_t compared = 0;
  for (int32_t q = 0; q < count; ++q) {
    const TurnStage& stage = turns.stages[static_cast<size_t>(q)];
    std::vector<std::vector<Dependence>> of_task(static_cast<size_t>(stage.tasks));
    for (int32_t back = 1; back <= count; ++back) {
      const TurnStage& before = turns.stages[static_cast<size_t>((q - back + count) % count)];
      for (const Access& a : stage.accesses) {
        for (const Access& b : before.accesses) {
          if (a.object != b.object || !(a.is_written || b.is_written)) continue;
          compared += stage.tasks * (b.ascends ? 1 : before.tasks);
          if (compared > most) return false;
          for (int64_t t = 0; t < stage.tasks; ++t)
            Add(DependenceOf(a, t, b, before.tasks, back), of_task[static_cast<size_t>(t)]);
        }
      }
    }
    std::vector<size_t>& first = turns.first.emplace_back();
    for (const std::vector<Dependence>& of : of_task) {
      first.push_back(turns.dependences.size());
      absl::c_copy(of, std::back_inserter(turns.dependences));
    }
    first.push_back(turns.dependences.size());
  }
  return true;
}

}  // namespace sinter::runtime::cpu
