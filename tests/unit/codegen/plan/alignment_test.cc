// Where parts of rows begin.
#include "codegen/plan/alignment.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/plan/plan.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

using Parts = std::vector<Interval>;

TEST_CASE("long parts that begin within a vector are cut at the next one") {
  CHECK(AlignedParts({{0, 13}, {13, 4096}}, 16, false) == Parts{{0, 13}, {13, 16}, {16, 4096}});
  CHECK(AlignedParts({{0, 2048}, {2048, 4096}}, 16, false) == Parts{{0, 2048}, {2048, 4096}});
  CHECK(AlignedParts({{1, 100}}, 16, false) == Parts{{1, 100}});
  CHECK(AlignedParts({{1, 16 + 128}}, 16, false) == Parts{{1, 16}, {16, 144}});
  CHECK(AlignedParts({{1, 16 + 128}}, 16, true) == Parts{{1, 17}, {16, 144}});
}

TEST_CASE("where masks are for single lanes a whole vector comes before the first aligned one") {
  auto stencil = Region(
      "x = u8[300,512] parameter(0)\nzero = u8[] constant(0)\n"
      "p = u8[300,513] pad(x, zero), padding=0_0x1_0\n"
      "s = u8[300,512] slice(p), slice={[0:300], [0:512]}\nROOT y = u8[300,512] or(x, s)");
  auto plan = MakePlan(*stencil->entry(), CpuMachine{.vector_bytes = 32, .vector_registers = 16});
  REQUIRE(plan.ok());
  REQUIRE(plan->pieces.size() == 1);
  CHECK(plan->pieces[0].columns == Parts{{0, 1}, {1, 33}, {32, 512}});
}

TEST_CASE("of boxes their short first parts come first") {
  const std::vector<Box> boxes = AlignedBoxes({{{0, 2}, {0, 500}}, {{0, 2}, {500, 5000}}}, 16);
  CHECK(boxes == std::vector<Box>{{{0, 2}, {500, 512}}, {{0, 2}, {0, 500}}, {{0, 2}, {512, 5000}}});
}

Plan PadOf(int64_t rows, int64_t columns, int64_t low, int64_t high,
           const CpuMachine& machine = {}) {
  auto region =
      Region(Format("x = f32[{0},{1}] parameter(0)\nzero = f32[] constant(0)\n"
                    "ROOT p = f32[{0},{2}] pad(x, zero), padding=0_0x{3}_{4}",
                    rows, columns, columns + low + high, low, high));
  auto plan = MakePlan(*region->entry(), machine);
  REQUIRE(plan.ok());
  return plan->pieces.empty() ? *plan : plan->pieces.back();
}

TEST_CASE("what is padded goes past the caches where the rows can be aligned") {
  const Plan aligned = PadOf(8192, 1000, 11, 13);
  CHECK(aligned.columns == Parts{{0, 11}, {11, 16}, {16, 1011}, {1011, 1024}});
  CHECK(aligned.non_temporal);
  CHECK_FALSE(aligned.aligns_rows);
  // Each row begins elsewhere.
  const Plan each = PadOf(8192, 1000, 1, 1);
  CHECK(each.aligns_rows);
  CHECK(each.non_temporal);
  // Beside short rows the lines that are written both ways are too many.
  CHECK_FALSE(PadOf(40000, 200, 1, 1).aligns_rows);
  CHECK_FALSE(PadOf(40000, 200, 1, 1).non_temporal);
  // A row's first and last lines would be written both ways, where vectors are no lines.
  const CpuMachine halves{.vector_bytes = 32, .vector_registers = 16};
  CHECK_FALSE(PadOf(8192, 1000, 8, 8, halves).non_temporal);
  CHECK_FALSE(PadOf(8192, 1000, 1, 1, halves).aligns_rows);
  CHECK_FALSE(PadOf(8192, 1000, 1, 1, halves).non_temporal);
  CHECK(PadOf(1024, 8176, 8, 8, halves).non_temporal);
  const Plan cached = PadOf(100, 1000, 1, 1);
  CHECK_FALSE(cached.aligns_rows);
  CHECK_FALSE(cached.non_temporal);
}

}  // namespace
}  // namespace sinter::plan
