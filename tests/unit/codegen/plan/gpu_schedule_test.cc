// What a GPU's schedule chooses, by kind of region.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/assign_layouts.h"
#include "codegen/kernel/place_syncs.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/plan.h"
#include "ir/text/parser.h"
#include "unit/codegen/plan/programs.h"
#include "unit/kernel_ops.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

Plan PlannedForGpu(const HloModule& module, const GpuMachine& machine = {}) {
  auto plan = MakePlan(*module.entry(), machine);
  INFO(plan.status().ToString());
  REQUIRE(plan.ok());
  return *plan;
}
kernel::Kernel Emitted(const HloModule& module, const Plan& plan) {
  auto k = emit::EmitKernel(*module.entry(), plan, "k");
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  REQUIRE(kernel::AssignLayouts(*k, {.warps = plan.warps}).ok());
  REQUIRE(kernel::PlaceSyncs(*k).ok());
  INFO(kernel::Print(*k));
  CHECK(kernel::Verify(*k).ToString() == "OK");
  return *std::move(k);
}
int Loops(const kernel::Kernel& k) { return kernel::CountOf(k.top, kernel::OpCode::kFor); }
int Loads(const kernel::Kernel& k) { return kernel::CountOf(k.top, kernel::OpCode::kLoad); }
int Syncs(const kernel::Kernel& k) { return kernel::CountOf(k.top, kernel::OpCode::kSync); }

std::string Softmax(int64_t rows, int64_t cols) {
  return Format(
      "  x = f32[{0},{1}] parameter(0)\n  low = f32[] constant(-inf)\n  zero = f32[] constant(0)\n"
      "  m = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=max\n"
      "  mb = f32[{0},{1}] broadcast(m), dimensions={{0}}\n  d = f32[{0},{1}] subtract(x, mb)\n"
      "  e = f32[{0},{1}] exponential(d)\n"
      "  s = f32[{0}] reduce(e, zero), dimensions={{1}}, to_apply=add\n"
      "  sb = f32[{0},{1}] broadcast(s), dimensions={{0}}\n  ROOT r = f32[{0},{1}] divide(e, sb)\n",
      rows, cols);
}
TEST_CASE("elementwise: a tile a block, no loop") {
  auto m = Region("  x = f32[16777216] parameter(0)\n  ROOT y = f32[16777216] add(x, x)\n");
  const Plan p = PlannedForGpu(*m);
  CHECK(p.warps == 4);
  CHECK(p.tile_cols == 1024);
  CHECK(p.col_blocks_are_tasks);
  CHECK(Loops(Emitted(*m, p)) == 1);
  // Short rows share a block.
  m = Region("  x = f32[100000,20] parameter(0)\n  ROOT y = f32[100000,20] add(x, x)\n");
  const Plan rows = PlannedForGpu(*m);
  CHECK(rows.tile_cols == 32);
  CHECK(rows.tile_rows == 32);
  CHECK(Loops(Emitted(*m, rows)) == 1);
  // Small arrays are spread over the device with narrow accesses.
  m = Region("  x = f32[4096] parameter(0)\n  ROOT y = f32[4096] add(x, x)\n");
  CHECK(PlannedForGpu(*m).tile_cols == 128);
}

TEST_CASE("transposes: squares") {
  auto m = Region(
      "  x = f32[1000,2000] parameter(0)\n"
      "  ROOT y = f32[2000,1000] transpose(x), dimensions={1,0}\n");
  const Plan p = PlannedForGpu(*m);
  CHECK(p.tile_rows == 32);
  CHECK(p.tile_cols == 32);
  CHECK(p.warps == 8);
  CHECK(Loops(Emitted(*m, p)) == 1);
}

TEST_CASE("rows in registers are read once, without loops") {
  for (int64_t n : {1000, 4096, 16384}) {
    auto m = Region(Softmax(64, n));
    const Plan p = PlannedForGpu(*m);
    const kernel::Kernel k = Emitted(*m, p);
    INFO(kernel::Print(k));
    CHECK(p.tile_rows == 1);
    CHECK(p.warps == (n == 1000 ? 4 : n == 4096 ? 16 : 32));
    CHECK(Loops(k) == 1);
    CHECK(Loads(k) == 1);
  }
  // Several short rows a block.
  auto m = Region(Softmax(1000, 60));
  const Plan p = PlannedForGpu(*m);
  CHECK(p.tile_rows == 16);
  CHECK(p.warps == 4);
  CHECK(Loads(Emitted(*m, p)) == 1);
  // Two reduced axes.
  m = Region(
      "  x = f32[6,40,50] parameter(0)\n  zero = f32[] constant(0)\n"
      "  s = f32[6] reduce(x, zero), dimensions={1,2}, to_apply=add\n"
      "  sb = f32[6,40,50] broadcast(s), dimensions={0}\n  ROOT d = f32[6,40,50] subtract(x, "
      "sb)\n");
  CHECK(Loads(Emitted(*m, PlannedForGpu(*m))) == 1);
}

// Integer powers square in a loop that carries three tiles.
TEST_CASE("rows with loops of their own leave registers for them") {
  for (int64_t n : {4096, 16384}) {
    auto m = Region(Format(
        "  x = f32[9,{0}] parameter(0)\n  zero = f32[] constant(0)\n"
        "  i = s32[9,{0}] convert(x)\n  q = s32[9,{0}] power(i, i)\n  p = f32[9,{0}] convert(q)\n"
        "  s = f32[9] reduce(p, zero), dimensions={{1}}, to_apply=add\n"
        "  sb = f32[9,{0}] broadcast(s), dimensions={{0}}\n  ROOT d = f32[9,{0}] divide(p, sb)\n",
        n));
    Emitted(*m, PlannedForGpu(*m));
  }
}

TEST_CASE("longer rows loop, and cache what is expensive in shared memory while it fits") {
  auto m = Region(Softmax(8, 40000));
  const Plan far = PlannedForGpu(*m);
  CHECK(far.cached.empty());
  CHECK(Loops(Emitted(*m, far)) == 4);
  const Plan near = PlannedForGpu(*m, {.shared_bytes = 200 << 10});
  CHECK(near.cached.size() == 1);
  // Each thread reads what it wrote.
  CHECK(Syncs(Emitted(*m, near)) == 0);
}

TEST_CASE("reductions") {
  auto m = Region(Sum("4096,1000", "4096", "1"));
  Plan p = PlannedForGpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.col_dim == -1);
  CHECK(Loops(Emitted(*m, p)) == 1);
  m = Region(Sum("100000,20", "100000", "1"));
  p = PlannedForGpu(*m);
  CHECK(p.tile_rows == 32);
  CHECK(Loops(Emitted(*m, p)) == 1);
  m = Region(Sum("4096,5000", "5000", "0"));
  p = PlannedForGpu(*m);
  CHECK(p.col_dim == 0);
  CHECK(p.tile_cols == 128);
  CHECK(p.reduce_rows == 8);
  CHECK(p.warps == 8);
}

TEST_CASE("few results: two stages, the same on every device") {
  for (const std::string& body : {Sum("16777216", "", "0"), Sum("4096,5000", "5000", "0"),
                                  Sum("1000000,3", "", "0,1"), Sum("32,64,56,56", "64", "0,2,3")}) {
    INFO(body);
    auto m = Region(body);
    const Plan p = PlannedForGpu(*m);
    CHECK(p.nest == Nest::kSplit);
    const Plan other = PlannedForGpu(*m, {.multiprocessors = 20, .shared_bytes = 100 << 10});
    CHECK(other.split[0].chunk == p.split[0].chunk);
    CHECK(other.split[0].dim == p.split[0].dim);
    Emitted(*m, p);
  }
}

TEST_CASE("products go through shared memory in slices") {
  auto m = Region(Product(4096, 4096, 4096));
  Plan p = PlannedForGpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.tile_rows == 128);
  CHECK(p.tile_cols == 128);
  CHECK(p.warps == 8);
  CHECK(p.slice == 16);
  const kernel::Kernel k = Emitted(*m, p);
  CHECK(Syncs(k) == 2);
  CHECK(kernel::CountOf(k.top, kernel::OpCode::kRelayout) == 0);
  m = Region(Product(512, 512, 512));
  CHECK(PlannedForGpu(*m).tile_cols == 32);
  m = Region(Product(5, 512, 512));
  CHECK(PlannedForGpu(*m).slice == 0);
}

// 3 accumulators do not share 128 columns in powers of two.
TEST_CASE("three accumulators in two stages, on every target") {
  auto module = ParseHloText(
      "HloModule m\nthree {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  c = f32[] parameter(2)\n  x = f32[] parameter(3)\n  y = f32[] parameter(4)\n"
      "  z = f32[] parameter(5)\n  d = f32[] add(a, x)\n  e = f32[] maximum(b, y)\n"
      "  f = f32[] minimum(c, z)\n  ROOT r = (f32[], f32[], f32[]) tuple(d, e, f)\n}\n"
      "ENTRY main {\n  p = f32[1048576] parameter(0)\n  q = f32[1048576] parameter(1)\n"
      "  r = f32[1048576] parameter(2)\n  zero = f32[] constant(0)\n"
      "  t = (f32[], f32[], f32[]) reduce(p, q, r, zero, zero, zero), dimensions={0}, "
      "to_apply=three\n  a = f32[] get-tuple-element(t), index=0\n"
      "  b = f32[] get-tuple-element(t), index=1\n  c = f32[] get-tuple-element(t), index=2\n"
      "  ROOT o = (f32[], f32[], f32[]) tuple(a, b, c)\n}\n",
      "three.hlo");
  REQUIRE(module.ok());
  auto cpu = MakePlan(*(*module)->entry(), CpuMachine{});
  REQUIRE(cpu.ok());
  CHECK(cpu->nest == Nest::kSplit);
  auto k = emit::EmitKernel(*(*module)->entry(), *cpu, "k");
  REQUIRE(k.ok());
  CHECK(kernel::Verify(*k).ToString() == "OK");
  const Plan gpu = PlannedForGpu(**module);
  CHECK(gpu.nest == Nest::kSplit);
  Emitted(**module, gpu);
}

}  // namespace
}  // namespace sinter::plan
