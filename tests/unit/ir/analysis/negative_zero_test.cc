// Which arrays hold no -0.
#include "ir/analysis/negative_zero.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/status.h"
#include "base/text.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

bool HasNone(const std::string& lines) {
  auto module = ParseHloText(
      "HloModule m\nENTRY main {\n  x = f32[8] parameter(0)\n  p = pred[8] parameter(1)\n"
      "  zero = f32[] constant(0)\n  minus = f32[] constant(-0)\n"
      "  zeros = f32[8] broadcast(zero), dimensions={}\n" +
          lines + "}\n",
      "zeros.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  return NegativeZeros(**module).HasNone(*(*module)->entry()->root());
}

TEST_CASE("Operations give no -0, or may") {
  CHECK_FALSE(HasNone("  ROOT r = f32[8] copy(x)\n"));
  CHECK(HasNone("  ROOT r = f32[8] copy(zeros)\n"));
  CHECK_FALSE(HasNone("  ROOT r = f32[8] broadcast(minus), dimensions={}\n"));
  CHECK(HasNone("  ROOT r = f32[8] add(x, zeros)\n"));
  CHECK_FALSE(HasNone("  ROOT r = f32[8] add(x, x)\n"));
  CHECK(HasNone("  ROOT r = f32[8] multiply(x, x)\n"));
  CHECK_FALSE(HasNone("  ROOT r = f32[8] multiply(x, zeros)\n"));
  CHECK(HasNone("  a = f32[8] abs(x)\n  ROOT r = f32[8] select(p, a, zeros)\n"));
  CHECK_FALSE(HasNone("  ROOT r = f32[8] select(p, x, zeros)\n"));
  // A small negative number that is rounded.
  CHECK_FALSE(HasNone("  s = f32[8] add(x, zeros)\n  ROOT r = f16[8] convert(s)\n"));
  CHECK(HasNone("  s = f32[8] add(x, zeros)\n  ROOT r = f64[8] convert(s)\n"));
}

// A loop of two arrays that begin as these and go on as those.
bool CarriesNone(const std::string& a, const std::string& b, const std::string& next_a,
                 const std::string& next_b) {
  const std::string state = "(f32[8], f32[8])";
  auto module = ParseHloText(
      Format("HloModule m\nbody {{\n  s = {0} parameter(0)\n  a = f32[8] get-tuple-element(s), "
             "index=0\n"
             "  b = f32[8] get-tuple-element(s), index=1\n  n = f32[8] negate(a)\n"
             "  sum = f32[8] add(a, b)\n  ROOT r = {0} tuple({3}, {4})\n}}\n"
             "condition {{\n  s = {0} parameter(0)\n  ROOT r = pred[] constant(false)\n}}\n"
             "ENTRY main {{\n  x = f32[8] parameter(0)\n  zero = f32[] constant(0)\n"
             "  zeros = f32[8] broadcast(zero), dimensions={{}}\n  t = {0} tuple({1}, {2})\n"
             "  w = {0} while(t), condition=condition, body=body\n"
             "  ROOT r = f32[8] get-tuple-element(w), index=0\n}}\n",
             state, a, b, next_a, next_b),
      "loop.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  return NegativeZeros(**module).HasNone(*(*module)->entry()->root());
}

TEST_CASE("What a loop carries is none where it begins and goes on as none") {
  CHECK(CarriesNone("zeros", "x", "sum", "b"));
  CHECK_FALSE(CarriesNone("x", "x", "sum", "b"));
  CHECK_FALSE(CarriesNone("zeros", "x", "n", "b"));
  // Each of two is none if the other is.
  CHECK(CarriesNone("zeros", "zeros", "b", "a"));
  CHECK_FALSE(CarriesNone("zeros", "x", "b", "a"));
  CHECK_FALSE(CarriesNone("zeros", "zeros", "b", "n"));
}

}  // namespace
}  // namespace sinter
