// Over how many threads stages run.
#include "runtime/cpu/thread_choice.h"

#include <catch2/catch.hpp>

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
std::vector<bool> OnOne(std::vector<Step> steps) {
  program::Program p;
  p.steps = std::move(steps);
  return StepsOnOneThread(p, 2);
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
  CHECK(StepsOnOneThread({}, 1).empty());
}

}  // namespace
}  // namespace sinter::runtime::cpu
