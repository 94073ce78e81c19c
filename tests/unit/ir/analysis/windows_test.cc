#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/analysis/cost.h"
#include "ir/analysis/index_map.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

std::unique_ptr<HloModule> Parse(std::string_view text) {
  auto m = ParseHloText(text, "windows.hlo");
  REQUIRE(m.ok());
  return *std::move(m);
}

TEST_CASE("windows map positions to where they begin and how far they go") {
  auto m = Parse(R"(HloModule m
ENTRY main {
  x = f32[9,4,7] parameter(0)
  ROOT w = f32[3,4,2,3,2] windows(x), window={size=3x1x2 stride=3x1x2 rhs_dilate=1x1x3}
})");
  auto map = OperandIndexMap(*m->entry()->root(), 0);
  REQUIRE(map);
  REQUIRE(map->size() == 3);
  auto text = [](const IndexExpr& e) {
    std::string out;
    for (const IndexTerm& t : e.terms) out += Format("{}d{} ", t.coefficient, t.dimension);
    return out + std::to_string(e.offset);
  };
  CHECK(text((*map)[0]) == "3d0 1d3 0");
  CHECK(text((*map)[1]) == "1d1 0");
  CHECK(text((*map)[2]) == "2d2 3d4 0");
}

TEST_CASE("what operations over windows cost") {
  auto m = Parse(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[1,10,10,4] parameter(0)
  k = f32[3,3,4,8] parameter(1)
  z = f32[] constant(0)
  c = f32[1,8,8,8] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
  p = f32[1,5,5,4] reduce-window(x, z), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add
  s = f32[1,10,10,4] reduce-window(x, z), window={size=1x10x1x1 pad=0_0x9_0x0_0x0_0}, to_apply=add
  ROOT t = (f32[1,8,8,8], f32[1,5,5,4], f32[1,10,10,4]) tuple(c, p, s)
})");
  const HloInstruction& t = *m->entry()->root();
  CHECK(CostOf(*t.operand(0)).flops == 8 * 8 * 8 * 2 * 9 * 4);
  CHECK(CostOf(*t.operand(1)).flops == 5 * 5 * 4 * 4);
  CHECK(CostOf(*t.operand(2)).flops == 10 * 10 * 4);  // each result continues another
}

}  // namespace
}  // namespace sinter
