#include "runtime/cpu/turn_tiles.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "runtime/cpu/loop_turns.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

class Tiler {
 public:
  Tiler(const Turns& turns, const StagePlan& plan, int threads, int64_t l2_bytes)
      : turns_(turns), threads_(threads), l2_bytes_(l2_bytes), bytes_(DistinctBytes()) {
    for (size_t q = 0; q < turns_.in_turn(); ++q) {
      const TurnStage& stage = turns_.stages[q];
      const double all = stage.task_nanoseconds * static_cast<double>(stage.tasks);
      const int on = std::min(threads_, plan.stages[static_cast<size_t>(stage.stage)].threads);
      one_by_one_ += all / on + (on > 1 ? tuning::kCpuFork : 0);
      work_ += all;
    }
    steps_left_ = static_cast<int64_t>(work_ * static_cast<double>(turns_.count) /
                                       tuning::kNanosecondsPerPlan);
    const double memory = turns_.bytes / static_cast<double>(turns_.period) * tuning::kCpuByte;
    saved_ = tuning::kSavedInCache * std::min(1.0, memory / std::max(work_, 1.0));
  }

  int64_t steps_left() const { return steps_left_; }
  // Whether there is anything to plan: it would be faster if parts waited for nothing.
  bool MayGain() const {
    return work_ / threads_ * (1 - (FillsCaches() ? saved_ : 0)) <= kWorth * one_by_one_;
  }

  // Nothing where turns that run one by one take no longer. Dependences are known.
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

  bool FillsCaches() const { return bytes_ / threads_ > tuning::kCachesFilled * l2_bytes_; }
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
    const bool in_cache =
        FillsCaches() && static_cast<double>(bytes_ / parts) <=
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
  int64_t steps_left_ = 0;  // of planning
  double one_by_one_ = 0;   // nanoseconds of a turn
  double work_ = 0;         // the same, on one thread
  double saved_ = 0;        // the part of it that arrays in the cache save
  std::vector<Shape> tried_;
};

}  // namespace

std::vector<TurnTiles> TileTurns(const program::Program& program, const FlatProgram& flat,
                                 const StagePlan& plan, int parallelism, int64_t l2_bytes) {
  std::vector<TurnTiles> tiles;
  for (Turns& turns : ReadTurns(program, flat)) {
    if (turns.stages.empty()) continue;
    Tiler tiler(turns, plan, parallelism, l2_bytes);
    if (!tiler.MayGain() || !FindDependences(turns, tiler.steps_left())) continue;
    if (std::optional<TurnTiles> made = tiler.Run()) tiles.push_back(*std::move(made));
  }
  return tiles;
}

}  // namespace sinter::runtime::cpu
