// Which parts of a region are tasks on a CPU, and what is a loop of a task.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/plan/plan.h"
#include "unit/codegen/plan/programs.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

TEST_CASE("inner axes are loops of a task where tasks would be short") {
  const Plan p =
      PlannedForCpu(*Region("x = f32[64,12,128,64] parameter(0)\n"
                            "ROOT t = f32[64,128,12,64] transpose(x), dimensions={0,2,1,3}"));
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(p.loop_dims == std::vector<int>{1, 2});
}

TEST_CASE("elementwise: a long minor axis is cut into tasks") {
  auto m = Region(Unary("negate", "f32[1000000]"));
  const Plan p = PlannedForCpu(*m);
  CHECK(p.col_blocks_are_tasks);
  CHECK(p.col_block == 16384);
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(!PlannedForCpu(*Region(Unary("negate", "f32[1000]"))).col_blocks_are_tasks);
}

TEST_CASE("elementwise: tasks get no longer where they would be few") {
  auto block = [](int64_t n) {
    auto m = Region(Format("x = f32[{}] parameter(0)\nROOT y = f32[{}] add(x, x)", n, n));
    return PlannedForCpu(*m).col_block;
  };
  const int64_t least = block(int64_t{1} << 16);
  CHECK((int64_t{1} << 16) / least >= 2);
  CHECK(block(int64_t{1} << 17) == least);
  CHECK(block(int64_t{1} << 22) == 4 * least);
}

TEST_CASE("elementwise: tasks have the fewer elements the more work each of them is") {
  const std::string few = "x0 = f32[30000] parameter(0)\n";
  std::string chain = few;
  for (int k = 0; k < 10; ++k) chain += Format("x{} = f32[30000] exponential(x{})\n", k + 1, k);
  CHECK(!PlannedForCpu(*Region(few + "ROOT r = f32[30000] negate(x0)")).col_blocks_are_tasks);
  const Plan p = PlannedForCpu(*Region(chain + "ROOT r = f32[30000] negate(x10)"));
  CHECK(p.col_blocks_are_tasks);
  CHECK(p.col_block < 4096);
  CHECK(p.col_block % p.tile_cols == 0);
}

TEST_CASE("transposed reads: squares of a vector, bands of columns are tasks") {
  auto m = Region(
      "x = f32[1024,2048] parameter(0)\n"
      "ROOT y = f32[2048,1024] transpose(x), dimensions={1,0}");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.row_dim == 0);
  CHECK(p.col_dim == 1);
  CHECK(p.tile_rows == p.lanes);
  CHECK(p.tile_cols == p.lanes);
  CHECK(p.col_block == p.tile_cols);
  CHECK(p.task_dims == std::vector<int>{1});  // 64 bands are enough
}

TEST_CASE("transposed reads: short rows of results are written from end to end") {
  auto m = Region(
      "x = f32[24,40000] parameter(0)\n"
      "ROOT y = f32[40000,24] transpose(x), dimensions={1,0}");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.row_dim == 0);
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(p.row_block == 4 * p.tile_rows);
  CHECK(!p.col_blocks_are_tasks);
}

TEST_CASE("transposed reads: few bands of columns are cut into rows, too") {
  auto m = Region(
      "x = f32[300,2048] parameter(0)\n"
      "ROOT y = f32[2048,300] transpose(x), dimensions={1,0}");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.row_block == 4 * p.tile_rows);
  CHECK(p.task_dims == std::vector<int>{1, 0});
}

TEST_CASE("transposed reads: lines that do not stay in the cache are used at once") {
  auto plan = [](const std::string& type, int64_t rows, int64_t columns) {
    return PlannedForCpu(*Region(Format("x = {0}[{1},{2}] parameter(0)\n"
                                        "ROOT y = {0}[{2},{1}] transpose(x), dimensions={{1,0}}",
                                        type, rows, columns)),
                         CpuMachine{.vector_bytes = 32, .vector_registers = 16});
  };
  // Of bytes and halves, where rows lie in few sets of the cache, or results are large.
  const Plan p = plan("u8", 1024, 2048);
  REQUIRE(p.transposed_reads.size() == 1);
  CHECK(p.transposed_reads[0].map == IndexMap{{{{1, 1}}, 0}, {{{0, 1}}, 0}});
  CHECK(p.square == 8);
  CHECK(p.row_block == 64);   // a line of what is read
  CHECK(p.col_block == 128);  // two of what is written
  CHECK(p.tile_rows == 1);
  CHECK(p.tile_cols == 128);
  CHECK(p.lanes == 32);
  CHECK(p.task_dims == std::vector<int>{1, 0});
  CHECK(plan("u8", 1000, 1500).transposed_reads.empty());
  CHECK(!plan("u8", 5000, 7000).transposed_reads.empty());
  CHECK(plan("bf16", 1024, 2048).row_block == 32);
  CHECK(plan("u8", 60, 2048).transposed_reads.empty());  // rows of less than a line
  // Wider elements fill lines as they are.
  CHECK(plan("f32", 2048, 2048).transposed_reads.empty());
  CHECK(plan("c64", 2048, 2048).transposed_reads.empty());
  // Blocks are alike, and whole vectors.
  CHECK(plan("u8", 137, 2048).col_block == 96);
  CHECK(plan("u8", 70, 2048).col_block == 70);
}

TEST_CASE("elementwise: few tasks are as many for each thread") {
  auto tasks = [](int64_t n) {
    auto m = Region(Format("x = f32[{}] parameter(0)\nROOT y = f32[{}] add(x, x)", n, n));
    const Plan p = PlannedForCpu(*m);
    CHECK(p.col_block % p.tile_cols == 0);
    return (n + p.col_block - 1) / p.col_block;
  };
  CHECK(tasks(39800) == 4);
  CHECK(tasks(65536) == 4);
  CHECK(tasks(90000) == 8);
}

TEST_CASE("transposed reads after reductions: a tile is a task, with the axes that are not kept") {
  auto plan = [](const std::string& from, const std::string& kept, const std::string& reduced,
                 const std::string& at, const std::string& order, const std::string& to) {
    return PlannedForCpu(*Region(
        Format("x = f32[{0}] parameter(0)\nzero = f32[] constant(0)\n"
               "s = f32[{1}] reduce(x, zero), dimensions={{{2}}}, to_apply=add\n"
               "b = f32[{0}] broadcast(s), dimensions={{{3}}}\ny = f32[{0}] multiply(x, b)\n"
               "ROOT t = f32[{5}] transpose(y), dimensions={{{4}}}",
               from, kept, reduced, at, order, to)));
  };
  // The reduced axis is neither rows nor columns of a tile.
  const Plan channels = plan("8,64,32,32", "8,32,32", "1", "0,2,3", "0,3,1,2", "8,32,64,32");
  CHECK(channels.loop_dims == std::vector<int>{2});
  CHECK(channels.row_dim == 1);
  CHECK(channels.row_block == channels.tile_rows);
  CHECK(channels.col_block == channels.tile_cols);
  CHECK(channels.task_dims == std::vector<int>{0, 1, 3});
  // It is the columns.
  const Plan columns = plan("32,100,120", "32,120", "1", "0,2", "0,2,1", "32,120,100");
  CHECK(columns.row_block == columns.tile_rows);
  CHECK(!columns.col_blocks_are_tasks);
  CHECK(columns.task_dims == std::vector<int>{0, 1});
}

}  // namespace
}  // namespace sinter::plan
