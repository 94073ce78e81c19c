// The parts of a kernel that launches need.
#include "codegen/kernel/stages.h"

#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"

namespace sinter::kernel {
namespace {

// Stages of 1, 2 and 3 tasks, each of which writes a buffer of its own.
Kernel ThreeStages() {
  Builder b("k");
  for (int64_t n = 1; n <= 3; ++n) {
    const int buffer = b.AddBuffer("b", ElementType::F32, std::vector<int64_t>{n});
    b.For(LoopKind::kPar, b.Int(0), b.Int(n), 1, Tail::kExact, {}, [&](Value iv, const Values&) {
      b.Store(b.Const(ElementType::F32, 1), buffer, {Index{iv}});
      return Values{};
    });
  }
  return b.Take();
}

TEST_CASE("a kernel with some of its stages keeps its buffers") {
  const Kernel whole = ThreeStages();
  const Kernel part = WithStages(whole, {0, 2});
  CHECK(LaunchBuffers(part) == LaunchBuffers(whole));
  const auto stages = StagesOf(part);
  REQUIRE(stages.ok());
  REQUIRE(stages->size() == 2);
  CHECK(TasksOf(part, *(*stages)[0], {}) == 1);
  CHECK(TasksOf(part, *(*stages)[1], {}) == 3);
  CHECK(UseOf(part, *(*stages)[1]).buffers == std::vector<bool>{false, false, true});
}

}  // namespace
}  // namespace sinter::kernel
