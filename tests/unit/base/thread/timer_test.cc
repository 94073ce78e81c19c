#include "base/thread/timer.h"

#include <atomic>
#include <catch2/catch.hpp>

namespace sinter {
namespace {

using namespace std::chrono_literals;

TEST_CASE("A timer calls in the order of time, and drops what is left when it goes") {
  std::atomic<int> calls{0}, first{0};
  {
    Timer timer;
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(timer.After(1h, [&] { calls += 100; }));
    REQUIRE(timer.After(20ms, [&] { ++calls; }));
    REQUIRE(timer.After(1ms, [&] { first = calls + 1; }));
    while (calls == 0) std::this_thread::sleep_for(1ms);
    CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
    CHECK(first == 1);
  }
  CHECK(calls == 1);
}

TEST_CASE("A call may drop the last reference to its timer") {
  std::atomic<bool> gone{false};
  auto timer = std::make_shared<Timer>();
  Timer& t = *timer;
  t.After(1ms, [&gone, held = std::move(timer)]() mutable {
    held.reset();
    gone = true;
  });
  while (!gone) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace sinter
