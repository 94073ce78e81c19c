#include "codegen/plan/live_values.h"

#include <catch2/catch.hpp>

#include "ir/text/parser.h"

namespace sinter::plan {
namespace {

std::unique_ptr<HloModule> Read(const std::string& text) {
  auto module = ParseHloText("HloModule m\n" + text, "values.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  return *std::move(module);
}
std::vector<const HloInstruction*> Order(const HloModule& module) {
  const std::vector<HloInstruction*> order = module.entry()->PostOrder();
  return {order.begin(), order.end()};
}

TEST_CASE("values wait until their last reader") {
  const auto module = Read(
      "ENTRY e { x = f32[8] parameter(0)\n  a = f32[8] sine(x)\n  b = f32[8] cosine(x)\n"
      "  c = f32[8] add(a, b)\n  ROOT d = f32[8] multiply(c, a) }\n");
  CHECK(MostAlive(Order(*module)) == 3);
}

// Of a turn that is so many multiplications of x, and keeps all of them to the end, or an
// elementary function.
int Vectors(int kept, const std::string& function, int registers) {
  std::string turn = "  v0 = f32[64] " + function + "\n", sum = "  s0 = f32[64] add(v0, x)\n";
  for (int k = 1; k < kept; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    turn += "  v" + n + " = f32[64] multiply(v" + before + ", x)\n";
    sum += "  s" + n + " = f32[64] add(s" + before + ", v" + n + ")\n";
  }
  const std::string last = std::to_string(kept - 1);
  const auto module = Read(
      "more { s = (s32[], f32[64]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(9)\n  ROOT r = pred[] compare(i, n), direction=LT }\n"
      "turn { s = (s32[], f32[64]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[64] get-tuple-element(s), index=1\n" +
      turn + sum + "  ROOT r = (s32[], f32[64]) tuple(i, s" + last +
      ") }\n"
      "ENTRY e { z = s32[] constant(0)\n  x = f32[64] parameter(0)\n"
      "  s = (s32[], f32[64]) tuple(z, x)\n"
      "  w = (s32[], f32[64]) while(s), condition=more, body=turn\n"
      "  ROOT r = f32[64] get-tuple-element(w), index=1 }\n");
  return VectorsOfLoop(Order(*module), registers);
}

TEST_CASE("vectors run a loop side by side as far as registers go") {
  CHECK(Vectors(2, "negate(x)", 32) == 4);
  CHECK(Vectors(2, "negate(x)", 4) < 4);
  CHECK(Vectors(40, "negate(x)", 2) == 1);
  const auto none = Read("ENTRY e { ROOT x = f32[8] parameter(0) }\n");
  CHECK(VectorsOfLoop(Order(*none), 32) == 0);
}

}  // namespace
}  // namespace sinter::plan
