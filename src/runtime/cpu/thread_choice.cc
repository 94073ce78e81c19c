#include "runtime/cpu/thread_choice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::Step;

// Steps that follow each other: the condition and body of a loop, a branch, the program.
class Sequence {
 public:
  // Of a loop, by the number of its step; else -1.
  Sequence(int parallelism, int loop) : parallelism_(parallelism), loop_(loop) {}
  int loop() const { return loop_; }
  const std::vector<size_t>& parallel() const { return parallel_; }

  void Add(const Step& step, size_t number) {
    const auto* launch = std::get_if<program::Launch>(&step.op);
    // What the library and others do in parallel they say themselves.
    if (launch == nullptr && !std::holds_alternative<program::Copy>(step.op)) return;
    if (const auto* copy = std::get_if<program::Copy>(&step.op);
        copy != nullptr && (copy->exchange || copy->keeps)) {
      if (copy->exchange) exchanged_[copy->source.allocation] = copy->destination.allocation;
      return;
    }
    const program::Cost cost = program::CostOf(step);
    const int64_t most = cost.bytes_read + cost.bytes_written;
    auto note = [&](const program::Slice& slice, Place place, bool is_written) {
      uses_[slice.allocation].push_back({place, is_written, std::min(slice.size, most)});
    };
    if (launch == nullptr) {
      const auto& copy = std::get<program::Copy>(step.op);
      note(copy.source, Place::kOneCore, false);
      note(copy.destination, Place::kOneCore, true);
      return;
    }
    bool is_parallel = false;
    for (const program::Stage& stage : launch->stages) {
      const auto time = static_cast<double>(stage.nanoseconds);
      const int threads = ThreadsWorth(stage.nanoseconds, stage.tasks, parallelism_);
      is_parallel |= threads > 1;
      alone_ += time;
      together_ += threads > 1 ? time / threads + tuning::kCpuFork : time;
      for (size_t b = 0; b < launch->buffers.size(); ++b) {
        // Of code whose use of its buffers nobody knows: all of them.
        program::BufferUse use{program::Share::kAll, static_cast<int>(b) >= launch->operands};
        if (b < stage.uses.size()) use = stage.uses[b];
        if (use.share == program::Share::kNone) continue;
        note(launch->buffers[b], threads > 1 ? PlaceOf(use.share) : Place::kOneCore,
             use.is_written);
      }
    }
    if (is_parallel) parallel_.push_back(number);
  }

  enum class Choice : uint8_t { kWorth, kOne, kTrial };
  // Of the launches that have enough work for several threads.
  Choice Choose() const {
    // What exchanges its roles is one array to whoever uses it turn by turn: it is read by its old
    // name before it is written by its new one.
    absl::flat_hash_map<int, Uses> uses;
    for (const auto& [allocation, own] : uses_) {
      const auto other = exchanged_.find(allocation);
      if (other == exchanged_.end()) absl::c_copy(own, std::back_inserter(uses[allocation]));
    }
    for (const auto& [allocation, own] : uses_) {
      const auto other = exchanged_.find(allocation);
      if (other != exchanged_.end()) absl::c_copy(own, std::back_inserter(uses[other->second]));
    }
    double moved = 0;
    for (const auto& [allocation, own] : uses) moved += Moved(own);
    moved *= static_cast<double>(parallelism_ - 1) / parallelism_;
    const double together = together_ + moved * tuning::kNanosecondsOfMovedByte;
    if (loop_ < 0) return together < alone_ ? Choice::kWorth : Choice::kOne;
    if (together < tuning::kSurelyTogether * alone_) return Choice::kWorth;
    return together > tuning::kSurelyAlone * alone_ ? Choice::kOne : Choice::kTrial;
  }

 private:
  // Which core has which part of an array after a step has used it: one of them all of it, each its
  // own part, each as much all over it, or all of them everything.
  enum class Place : uint8_t { kOneCore, kOwn, kApart, kEverywhere };
  struct Use {
    Place place;
    bool is_written;
    int64_t bytes;
  };
  using Uses = std::vector<Use>;

  // Outside of loops it is the host that uses arrays in between: only one core or several count.
  Place PlaceOf(program::Share share) const {
    if (share == program::Share::kOwn || loop_ < 0) return Place::kOwn;
    return share == program::Share::kApart ? Place::kApart : Place::kEverywhere;
  }

  // Bytes of an array that move from core to core and back while its uses go by, again and again:
  // after it was written to each other place where it is read, and to that where it is written
  // next. What is never written each core has of its own.
  static double Moved(const Uses& uses) {
    const auto first = absl::c_find_if(uses, [](const Use& use) { return use.is_written; });
    if (first == uses.end()) return 0;
    const auto start = static_cast<size_t>(first - uses.begin());
    double moved = 0;
    Use written = *first;
    std::array<int64_t, 4> read{};  // bytes by place
    for (size_t k = 1; k <= uses.size(); ++k) {
      const Use& use = uses[(start + k) % uses.size()];
      int64_t& bytes = read[static_cast<size_t>(use.place)];
      if (!use.is_written) {
        if (use.place != written.place) bytes = std::max(bytes, std::min(use.bytes, written.bytes));
        continue;
      }
      int64_t elsewhere = use.place != written.place ? std::min(use.bytes, written.bytes) : 0;
      for (int64_t& b : read) {
        moved += static_cast<double>(b) / 2;
        elsewhere = std::max(elsewhere, std::exchange(b, 0));
      }
      moved += static_cast<double>(elsewhere) / 2;
      written = use;
    }
    return moved;
  }

  const int parallelism_, loop_;
  std::vector<size_t> parallel_;
  double alone_ = 0, together_ = 0;      // nanoseconds
  absl::flat_hash_map<int, Uses> uses_;  // by allocation, in order
  absl::flat_hash_map<int, int> exchanged_;
};

}  // namespace

int ThreadsWorth(int64_t nanoseconds, int64_t tasks, int parallelism) {
  const int64_t worth = nanoseconds / tuning::kNanosecondsPerThread;
  if (worth < 1) return 1;
  return static_cast<int>(std::min<int64_t>({worth + 1, tasks, parallelism}));
}

ThreadChoices ChooseThreads(const program::Program& program, int parallelism) {
  ThreadChoices choices;
  if (parallelism < 2) return choices;
  std::vector<Sequence> sequences{Sequence(parallelism, -1)};
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
    const bool is_loop = std::holds_alternative<program::While>(step.op);
    const int loop = is_loop ? static_cast<int>(number) : -1;
    sequences[list.sequence].Add(step, number++);
    const size_t first = stack.size();
    program::ForEachBody(step, [&](const std::vector<Step>& steps) {
      if (stack.size() == first || !is_loop) sequences.emplace_back(parallelism, loop);
      stack.push_back({&steps, sequences.size() - 1});
    });
    std::reverse(stack.begin() + static_cast<ptrdiff_t>(first), stack.end());
  }
  choices.of_step.assign(number, ThreadChoices::kWorth);
  for (const Sequence& s : sequences) {
    if (s.parallel().empty()) continue;
    const Sequence::Choice choice = s.Choose();
    if (choice == Sequence::Choice::kWorth) continue;
    int of_steps = ThreadChoices::kOne;
    if (choice == Sequence::Choice::kTrial) {
      of_steps = static_cast<int>(choices.loops.size());
      choices.loops.push_back(s.loop());
    }
    for (size_t n : s.parallel()) choices.of_step[n] = of_steps;
  }
  return choices;
}

}  // namespace sinter::runtime::cpu
