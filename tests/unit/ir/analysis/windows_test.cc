#include <catch2/catch.hpp>

#include "base/status.h"
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

}  // namespace
}  // namespace sinter
