// Forms of printing that XLA's parser requires.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/analysis/equality.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

std::string Body(std::string_view instructions) {
  auto m = ParseHloText(Format("HloModule m\n\nENTRY e {{\n{}}}\n", instructions), "t.hlo");
  if (!m.ok()) return MessageOf(m.status());
  std::string text = Print(**m);
  auto again = ParseHloText(text, "again.hlo");
  if (!again.ok()) return MessageOf(again.status());
  if (!SameModule(**m, **again)) return "another module is read from " + text;
  if (Print(**again) != text) return "printed otherwise: " + Print(**again);
  const size_t begin = text.find("ENTRY e {\n") + 10;
  return text.substr(begin, text.size() - begin - 2);
}

TEST_CASE("The arc tangent is that of two operands, the second 1") {
  CHECK(Body("  x = f32[2] parameter(0)\n  ROOT y = f32[2] atan(x)\n") ==
        "  x = f32[2] parameter(0)\n"
        "  ROOT y = f32[2] atan2(x, f32[2] broadcast(f32[] constant(1)))\n");
  CHECK(Body("  x = c64[] parameter(0)\n  ROOT y = c64[] atan(x)\n") ==
        "  x = c64[] parameter(0)\n  ROOT y = c64[] atan2(x, c64[] constant((1, 0)))\n");
}

TEST_CASE("Two operands of which the second is a named 1, or another number, stay") {
  constexpr std::string_view kNamed =
      "  x = f32[] parameter(0)\n  one = f32[] constant(1)\n  ROOT y = f32[] atan2(x, one)\n";
  CHECK(Body(kNamed) == kNamed);
  CHECK(Body("  x = f32[] parameter(0)\n  ROOT y = f32[] atan2(x, f32[] constant(2))\n")
            .find("atan2(x, constant.anon") != std::string::npos);
}

TEST_CASE("Instructions have no names of types, and the others' stay apart") {
  CHECK(Body("  c64 = f32[] parameter(0)\n  c64_ = f32[] negate(c64)\n"
             "  ROOT s1 = f32[] add(c64, c64_)\n") ==
        "  c64__ = f32[] parameter(0)\n  c64_ = f32[] negate(c64__)\n"
        "  ROOT s1_ = f32[] add(c64__, c64_)\n");
}

TEST_CASE("Names that are words of the text's have a percent sign") {
  CHECK(Body("  %7 = f32[] parameter(0)\n  %inf = f32[] negate(%7)\n"
             "  ROOT manual = f32[] abs(inf)\n") ==
        "  %7 = f32[] parameter(0)\n  %inf = f32[] negate(%7)\n"
        "  ROOT %manual = f32[] abs(%inf)\n");
}

TEST_CASE("Constants without elements have the braces of their dimensions") {
  CHECK(Body("  ROOT c = f32[2,0,3] constant({})\n") ==
        "  ROOT c = f32[2,0,3] constant({{}, {}})\n");
  CHECK(Body("  ROOT c = f32[0,2] constant({})\n") == "  ROOT c = f32[0,2] constant({})\n");
  CHECK(Body("  ROOT c = f32[2,2,0] constant({{{},{}},{{},{}}})\n") ==
        "  ROOT c = f32[2,2,0] constant({{{}, {}}, {{}, {}}})\n");
  // As many as the dimensions say would be text for nothing.
  CHECK(Body("  ROOT c = f32[900000000,0] constant({})\n") ==
        "  ROOT c = f32[900000000,0] constant({})\n");
}

TEST_CASE("The largest float of a complex number is no larger as f64") {
  CHECK(Body("  ROOT c = c64[] constant((3.4028235e+38, -3.4028235e+38))\n") ==
        "  ROOT c = c64[] constant((3.4028234663852886e+38, -3.4028234663852886e+38))\n");
}

TEST_CASE("Large numbers of f64 are no integers of 64 bits") {
  CHECK(Body("  ROOT c = f64[2] constant({36893488147419103232, -12345})\n") ==
        "  ROOT c = f64[2] constant({3.6893488147419103e+19, -12345})\n");
}

TEST_CASE("A permutation of no pairs says so") {
  CHECK(Body("  x = f32[] parameter(0)\n"
             "  ROOT y = f32[] collective-permute(x), source_target_pairs={}\n")
            .find("source_target_pairs={}") != std::string::npos);
}

}  // namespace
}  // namespace sinter
