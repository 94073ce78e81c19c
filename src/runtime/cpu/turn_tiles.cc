#include "runtime/cpu/turn_tiles.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::Allocation;
using program::Residence;
using program::Step;

// Bytes that tasks of a stage use: of an object that shares memory with no other.
struct Access {
  int object = 0;
  int64_t offset = 0;
  bool is_written = false;
  const std::vector<int64_t>* bounds = nullptr;
  bool ascends = true;  // from task to task, both bounds

  int64_t lo(int64_t task) const { return offset + (*bounds)[static_cast<size_t>(2 * task)]; }
  int64_t hi(int64_t task) const { return offset + (*bounds)[static_cast<size_t>(2 * task + 1)]; }
};

// A stage of a turn, of those that are laid out (one, or two whose storage exchanges its roles).
struct TurnStage {
  int32_t instruction = 0;
  int32_t stage = 0;
  int64_t tasks = 0;
  double task_nanoseconds = 0;
  std::vector<Access> accesses;
  std::vector<float> places;  // by task: where in its arrays it writes, from 0 to 1
};

// Tasks [lo, hi) of the stage so many stages before.
struct Dependence {
  int32_t back = 0;
  int32_t lo = 0, hi = 0;
};

// The turns of a loop as they are laid out.
struct Turns {
  int32_t begin = 0, entry = 0, exit = 0;  // as of TurnTiles
  int64_t count = 0;                       // that the loop has
  int64_t period = 0;                      // turns that are laid out
  double bytes = 0;                        // that these read and write
  std::vector<TurnStage> stages;
  // By stage and task, what has to have run: the first dependence, and behind the last one's end.
  std::vector<std::vector<size_t>> first;
  std::vector<Dependence> dependences;

  size_t in_turn() const { return stages.size() / static_cast<size_t>(period); }
  absl::Span<const Dependence> DependencesOf(size_t stage, size_t task) const {
    const std::vector<size_t>& of = first[stage];
    return absl::MakeConstSpan(dependences).subspan(of[task], of[task + 1] - of[task]);
  }
};

// --- reading loops

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
    if (loop.turns < tuning::kLeastTurnsInBlocks) return false;
    auto is_launch = [](const Step& step) {
      return std::holds_alternative<program::Launch>(step.op);
    };
    if (!absl::c_all_of(loop.condition, is_launch)) return false;
    return absl::c_all_of(loop.body, [&](const Step& step) {
      const auto* copy = std::get_if<program::Copy>(&step.op);
      if (copy != nullptr) return copy->exchange || copy->keeps;
      const auto* launch = std::get_if<program::Launch>(&step.op);
      if (launch == nullptr) return false;
      return absl::c_all_of(launch->stages, [&](const program::Stage& stage) {
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

// --- what waits for what

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

// What each task has to wait for in the turns that are laid out. Those before them need not be
// looked at: a task that uses bytes which a stage used earlier waits for the same stage a period
// later, or one that writes them does for itself a period before.
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

// --- tiles

class Tiler {
 public:
  Tiler(const Turns& turns, const StagePlan& plan, int threads, int64_t l2_bytes,
        int64_t most_steps)
      : turns_(turns),
        threads_(threads),
        l2_bytes_(l2_bytes),
        bytes_(DistinctBytes()),
        steps_left_(most_steps) {
    for (size_t q = 0; q < turns_.in_turn(); ++q) {
      const TurnStage& stage = turns_.stages[q];
      const double all = stage.task_nanoseconds * static_cast<double>(stage.tasks);
      const int on = std::min(threads_, plan.stages[static_cast<size_t>(stage.stage)].threads);
      one_by_one_ += all / on + (on > 1 ? tuning::kCpuFork : 0);
      work_ += all;
    }
    const double memory = turns_.bytes / static_cast<double>(turns_.period) * tuning::kCpuByte;
    saved_ = tuning::kSavedInCache * std::min(1.0, memory / std::max(work_, 1.0));
  }

  // Nothing where turns that run one by one take no longer.
  std::optional<TurnTiles> Run() {
    int64_t most_tasks = 0;
    for (const TurnStage& stage : turns_.stages) most_tasks = std::max(most_tasks, stage.tasks);
    for (int64_t parts = threads_ > 1 ? threads_ : 2; parts <= most_tasks / 2; parts *= 2)
      Try(parts);
    absl::c_stable_sort(tried_, [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
    constexpr size_t kMostMade = 3;
    for (size_t k = 0; k < std::min(tried_.size(), kMostMade); ++k) {
      if (tried_[k].cost > kWorth * one_by_one_) break;
      if (std::optional<TurnTiles> tiles = Make(tried_[k])) return tiles;
    }
    return std::nullopt;
  }

 private:
  static constexpr double kWorth = 0.9;  // of the time of turns one by one
  static constexpr int16_t kLeft = -1;   // tasks that are in no upright tile

  struct Shape {
    int64_t parts = 0, turns = 0;
    double cost = 0;  // nanoseconds a turn, of all turns
  };
  // Of each stage of each turn, in order, by task: the part in whose upright tile it is.
  using Parts = std::vector<std::vector<int16_t>>;
  // The same, by task: behind the last one from there on that is of the same part.
  using Runs = std::vector<std::vector<int32_t>>;

  int64_t levels(int64_t turns) const { return turns * static_cast<int64_t>(turns_.in_turn()); }
  const TurnStage& StageOf(size_t level) const {
    return turns_.stages[level % turns_.stages.size()];
  }
  static int16_t PartOf(float place, int64_t parts) {
    return static_cast<int16_t>(
        std::min(static_cast<int64_t>(place * static_cast<float>(parts)), parts - 1));
  }

  // The next stage's tasks that may run once those of their own parts have.
  void AddLevel(int64_t parts, Parts& upright, Runs& runs) const {
    const size_t level = upright.size();
    const TurnStage& stage = StageOf(level);
    const auto tasks = static_cast<size_t>(stage.tasks);
    std::vector<int16_t> of(tasks);
    std::vector<int32_t> end(tasks);
    for (size_t t = 0; t < tasks; ++t) {
      const int16_t part = PartOf(stage.places[t], parts);
      const bool may = absl::c_all_of(DependencesOf(level, t), [&](const Dependence& d) {
        const auto back = static_cast<size_t>(d.back), lo = static_cast<size_t>(d.lo);
        return back > level ||
               (upright[level - back][lo] == part && runs[level - back][lo] >= d.hi);
      });
      of[t] = may ? part : kLeft;
    }
    for (size_t t = tasks; t-- > 0;) {
      end[t] = t + 1 < tasks && of[t + 1] == of[t] ? end[t + 1] : static_cast<int32_t>(t + 1);
    }
    upright.push_back(std::move(of));
    runs.push_back(std::move(end));
  }
  absl::Span<const Dependence> DependencesOf(size_t level, size_t task) const {
    return turns_.DependencesOf(level % turns_.stages.size(), task);
  }

  // The best number of turns for so many parts.
  void Try(int64_t parts) {
    Parts upright;
    Runs runs;
    std::vector<double> load(static_cast<size_t>(parts));
    Shape best;
    const int64_t most = std::min(turns_.count, tuning::kMostTurnsInBlock);
    for (int64_t turns = turns_.period; turns <= most; turns += turns_.period) {
      double added = 0;
      while (std::ssize(upright) < levels(turns)) {
        if ((steps_left_ -= StageOf(upright.size()).tasks) < 0) return;
        AddLevel(parts, upright, runs);
        const double each = StageOf(upright.size() - 1).task_nanoseconds;
        for (int16_t p : upright.back()) {
          if (p == kLeft) continue;
          load[static_cast<size_t>(p)] += each;
          added += each;
        }
      }
      const double all = work_ * static_cast<double>(turns);
      const double in_upright = std::accumulate(load.begin(), load.end(), 0.0);
      const auto gaps = static_cast<double>(std::max<int64_t>(parts - 1, 1));
      const double rounds = std::ceil(gaps / threads_);
      const double cost = CostOf(parts, turns, Longest(load), rounds * (all - in_upright) / gaps);
      if (best.turns == 0 || cost < best.cost) best = {parts, turns, cost};
      // Of smaller tops there is nothing to gain.
      if (added < work_ * static_cast<double>(turns_.period) / 8) break;
    }
    if (best.turns > turns_.period) tried_.push_back(best);
  }

  // Nanoseconds a turn, of all the loop's turns, of which blocks take so long in either phase.
  double CostOf(int64_t parts, int64_t turns, double upright, double inverted) const {
    // The first turn of either kind of tile brings into the cache what the others find there.
    const bool in_cache = bytes_ / threads_ > tuning::kCachesFilled * l2_bytes_ &&
                          static_cast<double>(bytes_ / parts) <=
                              tuning::kPartOfCache * static_cast<double>(l2_bytes_);
    const double saved = in_cache ? saved_ * (1 - 2 / static_cast<double>(turns)) : 0;
    const double block =
        (upright + inverted) * (1 - saved) + (threads_ > 1 ? 2 * tuning::kCpuFork : 0);
    const int64_t blocks = turns_.count / turns;
    return (block * static_cast<double>(blocks) +
            one_by_one_ * static_cast<double>(turns_.count % turns)) /
           static_cast<double>(turns_.count);
  }

  // The time of parts that threads take one after the other.
  double Longest(const std::vector<double>& loads) const {
    std::vector<double> threads(static_cast<size_t>(threads_));
    for (double load : loads) *absl::c_min_element(threads) += load;
    return *absl::c_max_element(threads);
  }

  std::optional<TurnTiles> Make(const Shape& shape) {
    Parts upright;
    Runs runs;
    while (std::ssize(upright) < levels(shape.turns)) AddLevel(shape.parts, upright, runs);
    const Parts inverted = PartsOfRest(upright);
    std::vector<double> load[2];
    TurnTiles tiles{turns_.begin,  turns_.entry, turns_.exit,
                    turns_.period, shape.turns,  turns_.count / shape.turns,
                    threads_};
    AddPhase(upright, tiles.calls, tiles.phases[0], load[0]);
    AddPhase(inverted, tiles.calls, tiles.phases[1], load[1]);
    const double cost = CostOf(shape.parts, shape.turns, Longest(load[0]), Longest(load[1]));
    if (cost > kWorth * one_by_one_) return std::nullopt;
    return tiles;
  }

  // Of the tasks that are in no upright tile, those that wait for each other are one part.
  Parts PartsOfRest(const Parts& upright) const {
    std::vector<size_t> offset;
    size_t count = 0;
    for (const auto& level : upright) {
      offset.push_back(count);
      count += level.size();
    }
    std::vector<size_t> parent(count);
    std::iota(parent.begin(), parent.end(), size_t{0});
    auto root = [&](size_t x) {
      while (parent[x] != x) x = parent[x] = parent[parent[x]];
      return x;
    };
    ForEachLeft(upright, [&](size_t level, size_t t) {
      for (const Dependence& d : DependencesOf(level, t)) {
        const auto back = static_cast<size_t>(d.back);
        if (back > level) continue;
        for (auto before = static_cast<size_t>(d.lo); before < static_cast<size_t>(d.hi);
             ++before) {
          if (upright[level - back][before] == kLeft)
            parent[root(offset[level - back] + before)] = root(offset[level] + t);
        }
      }
    });
    Parts parts;
    for (const auto& level : upright) parts.emplace_back(level.size(), kLeft);
    std::vector<int16_t> number(count, kLeft);
    int16_t numbers = 0;
    ForEachLeft(upright, [&](size_t level, size_t t) {
      int16_t& of = number[root(offset[level] + t)];
      if (of == kLeft) of = numbers < INT16_MAX ? numbers++ : INT16_MAX;
      parts[level][t] = of;
    });
    return parts;
  }
  template <class F>
  static void ForEachLeft(const Parts& upright, F&& f) {
    for (size_t level = 0; level < upright.size(); ++level) {
      for (size_t t = 0; t < upright[level].size(); ++t) {
        if (upright[level][t] == kLeft) f(level, t);
      }
    }
  }

  // The calls of each part, and how long it takes.
  void AddPhase(const Parts& parts, std::vector<TurnTiles::Call>& calls, std::vector<size_t>& first,
                std::vector<double>& load) const {
    int16_t most = -1;
    for (const auto& level : parts) {
      for (int16_t p : level) most = std::max(most, p);
    }
    std::vector<std::vector<TurnTiles::Call>> of(static_cast<size_t>(most + 1));
    load.assign(of.size(), 0);
    for (size_t level = 0; level < parts.size(); ++level) {
      const TurnStage& stage = StageOf(level);
      const std::vector<int16_t>& tasks = parts[level];
      for (size_t t = 0; t < tasks.size();) {
        const size_t begin = t;
        while (t < tasks.size() && tasks[t] == tasks[begin]) ++t;
        if (tasks[begin] == kLeft) continue;
        const auto part = static_cast<size_t>(tasks[begin]);
        of[part].push_back(
            {stage.instruction, stage.stage, static_cast<int64_t>(begin), static_cast<int64_t>(t)});
        load[part] += static_cast<double>(t - begin) * stage.task_nanoseconds;
      }
    }
    for (const auto& part : of) {
      first.push_back(calls.size());
      absl::c_copy(part, std::back_inserter(calls));
    }
    first.push_back(calls.size());
  }

  // That all turns use.
  int64_t DistinctBytes() const {
    std::vector<std::tuple<int, int64_t, int64_t>> ranges;
    for (const TurnStage& stage : turns_.stages) {
      for (const Access& a : stage.accesses) {
        for (int64_t t = 0; t < stage.tasks; ++t) ranges.emplace_back(a.object, a.lo(t), a.hi(t));
      }
    }
    absl::c_sort(ranges);
    int64_t bytes = 0, end = 0;
    int object = INT_MIN;
    for (const auto& [of, lo, hi] : ranges) {
      if (of != object) end = lo;
      object = of;
      bytes += std::max<int64_t>(hi - std::max(lo, end), 0);
      end = std::max(end, hi);
    }
    return bytes;
  }

  const Turns& turns_;
  const int threads_;
  const int64_t l2_bytes_;
  const int64_t bytes_;
  int64_t steps_left_;     // of planning
  double one_by_one_ = 0;  // nanoseconds of a turn
  double work_ = 0;        // the same, on one thread
  double saved_ = 0;       // the part of it that arrays in the cache save
  std::vector<Shape> tried_;
};

}  // namespace

std::vector<TurnTiles> TileTurns(const program::Program& program, const FlatProgram& flat,
                                 const StagePlan& plan, int parallelism, int64_t l2_bytes) {
  std::vector<TurnTiles> tiles;
  for (Turns& turns : Reader(program, flat).Read()) {
    double nanoseconds = 0;
    for (const TurnStage& stage : turns.stages)
      nanoseconds += stage.task_nanoseconds * static_cast<double>(stage.tasks);
    nanoseconds *= static_cast<double>(turns.count) / static_cast<double>(turns.period);
    const auto most_steps = static_cast<int64_t>(nanoseconds / tuning::kNanosecondsPerPlan);
    if (turns.stages.empty() || !FindDependences(turns, most_steps)) continue;
    if (std::optional<TurnTiles> made = Tiler(turns, plan, parallelism, l2_bytes, most_steps).Run())
      tiles.push_back(*std::move(made));
  }
  return tiles;
}

}  // namespace sinter::runtime::cpu
