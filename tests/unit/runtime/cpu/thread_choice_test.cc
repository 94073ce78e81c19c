// Over how many threads stages run.
#include "runtime/cpu/thread_choice.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "runtime/cpu/thread_trial.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::Slice;
using program::Step;

constexpr int64_t kLong = 4 * tuning::kNanosecondsPerThread, kShort = 500;

Step Launch(int64_t nanoseconds, std::vector<Slice> buffers) {
  program::Launch launch;
  for (const Slice& s : buffers) launch.cost.bytes_read += s.size;
  launch.buffers = std::move(buffers);
  launch.stages = {{.tasks = 100, .nanoseconds = nanoseconds}};
  return {launch};
}
Step Loop(std::vector<Step> condition, std::vector<Step> body) {
  program::While loop;
  loop.condition = std::move(condition);
  loop.body = std::move(body);
  return {loop};
}
// By step whether it runs on one thread whatever it is worth, or may, as a trial tells.
std::vector<bool> OnOne(std::vector<Step> steps) {
  program::Program p;
  p.steps = std::move(steps);
  std::vector<bool> on_one;
  for (int choice : ChooseThreads(p, 2).of_step) on_one.push_back(choice != ThreadChoices::kWorth);
  return on_one;
}

const Slice kLarge{0, 0, 200000}, kSmall{1, 0, 1000};

TEST_CASE("threads are those that there is work and tasks for") {
  CHECK(ThreadsWorth(kShort, 100, 8) == 1);
  CHECK(ThreadsWorth(kLong, 100, 8) == 5);
  CHECK(ThreadsWorth(kLong, 3, 8) == 3);
  CHECK(ThreadsWorth(kLong, 100, 2) == 2);
}

TEST_CASE("what moves an array between cores for more than it gains runs on one thread") {
  const Step parallel = Launch(kLong, {kLarge}), serial = Launch(kShort, {kLarge});
  CHECK(OnOne({parallel}) == std::vector<bool>{false});
  CHECK(OnOne({parallel, serial}) == std::vector<bool>{true, false});
  // Of little that moves, or of much work.
  CHECK(OnOne({Launch(kLong, {kSmall}), Launch(kShort, {kSmall})}) ==
        std::vector<bool>{false, false});
  CHECK(OnOne({Launch(100 * kLong, {kLarge}), serial}) == std::vector<bool>{false, false});
  // Of what both only read.
  Step reads = parallel;
  std::get<program::Launch>(reads.op).operands = 1;
  Step also = serial;
  std::get<program::Launch>(also.op).operands = 1;
  CHECK(OnOne({reads, also}) == std::vector<bool>{false, false});
  // Of different arrays; of copies, but for those that exchange storage.
  CHECK(OnOne({Launch(kLong, {kSmall}), serial}) == std::vector<bool>{false, false});
  program::Copy copy{kLarge, {2, 0, kLarge.size}};
  CHECK(OnOne({parallel, {copy}}) == std::vector<bool>{true, false});
  copy.exchange = true;
  CHECK(OnOne({parallel, {copy}}) == std::vector<bool>{false, false});
  // What is written is read, in the next turn, where the copy would be.
  Step writes = Launch(kLong, {{2, 0, kLarge.size}});
  CHECK(OnOne({writes, also, {copy}}) == std::vector<bool>{true, false, false});
}

TEST_CASE("lists of steps are looked at each by itself, a loop's two as one") {
  const Step parallel = Launch(kLong, {kLarge}), serial = Launch(kShort, {kLarge});
  // By number: the loop, its condition, its body, what follows.
  CHECK(OnOne({Loop({serial}, {parallel, serial}), parallel}) ==
        std::vector<bool>{false, false, true, false, false});
  CHECK(OnOne({Loop({}, {serial}), parallel}) == std::vector<bool>{false, false, false});
  CHECK(OnOne({Loop({}, {Loop({}, {parallel, serial}), parallel})}) ==
        std::vector<bool>{false, false, true, false, false});
  CHECK(ChooseThreads({}, 1).of_step.empty());
}

TEST_CASE("loops whose steps cut arrays in other ways try one thread") {
  auto launch = [](program::Share share) {
    Step step = Launch(4 * kLong, {kLarge});
    std::get<program::Launch>(step.op).stages[0].uses = {{share, true}};
    return step;
  };
  auto choices = [](std::vector<Step> body) {
    program::Program p;
    p.steps = {Loop({}, std::move(body))};
    return ChooseThreads(p, 2);
  };
  using program::Share;
  const ThreadChoices alike = choices({launch(Share::kOwn), launch(Share::kOwn)});
  CHECK(alike.loops.empty());
  CHECK(alike.of_step == std::vector<int>(3, ThreadChoices::kWorth));
  const ThreadChoices apart = choices({launch(Share::kOwn), launch(Share::kApart)});
  CHECK(apart.loops == std::vector<int>{0});
  CHECK(apart.of_step == std::vector<int>{ThreadChoices::kWorth, 0, 0});
  // A border that one thread writes is not the array.
  Step border = Launch(kShort, {kLarge});
  std::get<program::Launch>(border.op).stages[0].uses = {{Share::kNone, false}};
  CHECK(choices({launch(Share::kOwn), border}).loops.empty());
  // Outside of loops nothing is tried.
  program::Program p;
  p.steps = {launch(Share::kOwn), launch(Share::kApart)};
  CHECK(ChooseThreads(p, 2).loops.empty());
}

struct FakeClock {
  using duration = std::chrono::nanoseconds;
  static inline int64_t now_ns = 0;
  static std::chrono::time_point<std::chrono::steady_clock, duration> now() {
    return std::chrono::time_point<std::chrono::steady_clock, duration>(duration(now_ns));
  }
};

// Of so many turns in runs of `length`, those on one thread, where turns take so long.
int OnOneThread(BasicThreadTrial<FakeClock>& trial, int turns, int length, int64_t several,
                int64_t one) {
  int count = 0;
  BasicThreadTrial<FakeClock>::Turn turn;
  for (int k = 0; k < turns; ++k) {
    if (k % length == 0) {
      trial.End(turn);
      FakeClock::now_ns += 1000000;  // the host's
    }
    const bool on_one = trial.Next(turn);
    FakeClock::now_ns += on_one ? one : several;
    count += on_one ? 1 : 0;
  }
  trial.End(turn);
  return count;
}

TEST_CASE("a trial takes what is faster, and tries again after a while") {
  for (const int length : {7, 50, 10000}) {
    BasicThreadTrial<FakeClock> trial;
    OnOneThread(trial, 100, length, 100, 90);
    CHECK(OnOneThread(trial, 50, length, 100, 90) == 50);
    // The machine has changed.
    OnOneThread(trial, 200000, length, 100, 110);
    CHECK(OnOneThread(trial, 50, length, 100, 110) == 0);
  }
  // Loops of a few turns tell nothing.
  BasicThreadTrial<FakeClock> trial;
  CHECK(OnOneThread(trial, 300, 4, 100, 10) == 0);
}

}  // namespace
}  // namespace sinter::runtime::cpu
