// What a region's kernel computes where: inside or before its loops.
#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/text.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/plan.h"
#include "unit/kernel_ops.h"
#include "unit/region.h"

namespace sinter::emit {
namespace {

// The deepest loop that has a loop of a reduction in it: 1 is the loop over tasks.
int DepthOfReductions(const kernel::Block& block, int depth = 0) {
  int deepest = 0;
  for (const kernel::Op& op : block.ops) {
    const bool is_loop = op.code == kernel::OpCode::kFor;
    if (is_loop && !op.results.empty()) deepest = std::max(deepest, depth);
    for (const kernel::Block& inner : op.regions)
      deepest = std::max(deepest, DepthOfReductions(inner, depth + (is_loop ? 1 : 0)));
  }
  return deepest;
}

// The plan of a region for the target, and its kernel, which is to be one that compiles.
std::pair<plan::Plan, kernel::Kernel> Made(const HloModule& m,
                                           const TargetInfo& target = CpuMachine()) {
  auto plan = plan::MakePlan(*m.entry(), target);
  REQUIRE(plan.ok());
  auto kernel = EmitKernel(*m.entry(), *plan, "k");
  REQUIRE(kernel.ok());
  CHECK(kernel::Verify(*kernel).ToString() == "OK");
  return {*std::move(plan), *std::move(kernel)};
}

TEST_CASE("an update reads what does not depend on its place before the loop over places") {
  auto m = Region(
      "x = f32[40,64] parameter(0)\ni = s32[] parameter(1)\nz = s32[] constant(0)\n"
      "zero = f32[] constant(0)\ns = f32[64] reduce(x, zero), dimensions={0}, to_apply=add\n"
      "b = f32[40,64] broadcast(s), dimensions={1}\ny = f32[40,64] subtract(x, b)\n"
      "d = f32[1,64] dynamic-slice(y, i, z), dynamic_slice_sizes={1,64}\n"
      "n = f32[1,64] negate(d)\nu = f32[40,64] dynamic-update-slice(y, n, i, z)\n"
      "ROOT t = f32[40,64] add(u, y)");
  CHECK(DepthOfReductions(Made(*m).second.top) == 1);
}

TEST_CASE("complex tiles of rolled rows that are turned are read as pairs, under their masks") {
  auto m = Region(
      "x = c64[100,70] parameter(0)\na = c64[7,70] slice(x), slice={[0:7], [0:70]}\n"
      "b = c64[93,70] slice(x), slice={[7:100], [0:70]}\n"
      "r = c64[100,70] concatenate(b, a), dimensions={0}\n"
      "e = pred[100,70] compare(x, r), direction=EQ\n"
      "ROOT t = pred[70,100] transpose(e), dimensions={1,0}");
  const kernel::Kernel k = Made(*m).second;
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kLoad) > 2);
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kLoad) ==
        kernel::CountOf(k.top, kernel::OpCode::kDeinterleave));
}

TEST_CASE("complex tiles that are turned are read and written as pairs") {
  auto m = Region(
      "x = c64[100,70] parameter(0)\nt = c64[70,100] transpose(x), dimensions={1,0}\n"
      "ROOT s = c64[70,100] multiply(t, t)");
  const kernel::Kernel k = Made(*m).second;
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kLoad) ==
        kernel::CountOf(k.top, kernel::OpCode::kDeinterleave));
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kStore) ==
        kernel::CountOf(k.top, kernel::OpCode::kInterleave));
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kTranspose) ==
        2 * kernel::CountOf(k.top, kernel::OpCode::kLoad));
}

TEST_CASE("pieces of one task that share a stage state their time together") {
  auto m = Region(
      "x = f32[8388608] parameter(0)\nlast = f32[1] slice(x), slice={[8388607:8388608]}\n"
      "rest = f32[8388607] slice(x), slice={[0:8388607]}\n"
      "before = f32[8388608] concatenate(last, rest), dimensions={0}\n"
      "ROOT d = f32[8388608] subtract(x, before)");
  auto plan = plan::MakePlan(*m->entry(), CpuMachine());
  REQUIRE(plan.ok());
  std::vector<double> nanoseconds;
  auto kernel = EmitKernel(*m->entry(), *plan, "k", {}, &nanoseconds);
  REQUIRE(kernel.ok());
  const auto stages = absl::c_count_if(kernel->top.ops, kernel::IsStage);
  CHECK(stages < std::ssize(plan->pieces));
  REQUIRE(std::ssize(nanoseconds) == stages);
  CHECK(nanoseconds.front() < 1000);
  CHECK(nanoseconds.back() > 100'000);
}

TEST_CASE("what a region writes over is read at the element's own place only") {
  auto m = Region(
      "x = f32[2,7,13] parameter(0)\n"
      "p = f32[2,1,13] parameter(1)\nq = f32[1,1,13] parameter(2)\nz = f32[] constant(0)\n"
      "last = f32[1,1,13] slice(x), slice={[1:2], [0:1], [0:13]}\n"
      "two = f32[2,1,13] concatenate(last, q), dimensions={0}\n"
      "down = f32[2,1,13] pad(two, z), padding=1_-1x0_0x0_0\n"
      "ROOT r = f32[2,7,13] concatenate(down, p, p, p, p, p, p), dimensions={1}");
  for (const TargetInfo& target : {TargetInfo(CpuMachine()), TargetInfo(GpuMachine())})
    CHECK(Made(*m, target).first.in_place[0]);
}

TEST_CASE("a tile that is moved to where its elements are may be at the first of them") {
  auto m = Region(
      "x = s32[33] parameter(0)\ny = s32[33] parameter(1)\none = s32[] constant(1)\n"
      "p = s32[33] pad(y, one), padding=1_-1\n"
      "c = s32[363] concatenate(p, x, p, x, p, x, p, x, p, x, p), dimensions={0}\n"
      "ROOT r = s32[181] slice(c), slice={[1:363:2]}");
  Made(*m);
}

TEST_CASE("what is cached for a task has room for whole tiles along the axis of the columns") {
  for (const char* ones : {"", ",1", ",1,1"}) {
    auto m =
        Region(Format("x = f32[400,300{0}] parameter(0)\nzero = f32[] constant(0)\n"
                      "m = f32[400{0}] reduce(x, zero), dimensions={{1}}, to_apply=max\n"
                      "b = f32[400,300{0}] broadcast(m), dimensions={{0{1}}}\n"
                      "d = f32[400,300{0}] subtract(x, b)\ne = f32[400,300{0}] exponential(d)\n"
                      "s = f32[400{0}] reduce(e, zero), dimensions={{1}}, to_apply=add\n"
                      "t = f32[400,300{0}] broadcast(s), dimensions={{0{1}}}\n"
                      "ROOT r = f32[400,300{0}] divide(e, t)",
                      ones,
                      ones[0] == 0   ? ""
                      : ones[2] == 0 ? ",2"
                                     : ",2,3"));
    INFO(ones);
    Made(*m);
  }
}

}  // namespace
}  // namespace sinter::emit
