// Which loops run inside one kernel.
#include "ir/analysis/scalar_computation.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

// A while over (s32[], f32[4,5], f32[4,5]); `body` names c and d, the next arrays, `rest` is the
// entry behind the loop.
bool IsElementwise(
    const std::string& body, const std::string& rest,
    const std::string& condition = "  ROOT m = pred[] compare(i, n), direction=LT\n") {
  const std::string state = "(s32[], f32[4,5], f32[4,5])";
  auto module = ParseHloText(
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b)\n}\nmore {\n  s = " +
          state +
          " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
          "  a = f32[4,5] get-tuple-element(s), index=1\n  n = s32[] constant(9)\n" +
          condition + "}\nstep {\n  s = " + state +
          " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
          "  a = f32[4,5] get-tuple-element(s), index=1\n"
          "  b = f32[4,5] get-tuple-element(s), index=2\n  one = s32[] constant(1)\n"
          "  j = s32[] add(i, one)\n" +
          body + "  ROOT r = " + state +
          " tuple(j, c, d)\n}\nENTRY main {\n  x = f32[4,5] parameter(0)\n"
          "  z = s32[] constant(0)\n  init = " +
          state + " tuple(z, x, x)\n  loop = " + state +
          " while(init), condition=more, body=step\n" + rest + "}\n",
      "loop.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  for (const auto& i : (*module)->entry()->instructions()) {
    if (i->op() == HloOpcode::While) return IsElementwiseLoop(*i);
  }
  return false;
}

TEST_CASE("loops that each element runs by itself") {
  const std::string plain = "  c = f32[4,5] multiply(a, b)\n  d = f32[4,5] add(a, b)\n",
                    first = "  ROOT r = f32[4,5] get-tuple-element(loop), index=1\n";
  CHECK(IsElementwise(plain, first));
  CHECK(
      IsElementwise("  f = f32[] convert(i)\n  g = f32[4,5] broadcast(f), dimensions={}\n"
                    "  c = f32[4,5] maximum(a, g)\n  d = f32[4,5] tanh(b)\n",
                    first));
  // Elements that need others.
  CHECK_FALSE(
      IsElementwise("  c = f32[4,5] reverse(a), dimensions={0}\n"
                    "  d = f32[4,5] add(a, b)\n",
                    first));
  CHECK_FALSE(
      IsElementwise("  z = f32[] constant(0)\n"
                    "  t = f32[] reduce(a, z), dimensions={0,1}, to_apply=add\n"
                    "  c = f32[4,5] broadcast(t), dimensions={}\n"
                    "  d = f32[4,5] add(a, b)\n",
                    first));
  CHECK_FALSE(
      IsElementwise("  q = f32[5] iota(), iota_dimension=0\n"
                    "  c = f32[4,5] broadcast(q), dimensions={1}\n"
                    "  d = f32[4,5] add(a, b)\n",
                    first));
  // A condition that depends on elements.
  CHECK_FALSE(IsElementwise(plain, first,
                            "  z = f32[] constant(0)\n"
                            "  t = f32[] reduce(a, z), dimensions={0,1}, to_apply=add\n"
                            "  ROOT m = pred[] compare(t, z), direction=LT\n"));
  // The counter is used afterwards: it has another shape than the arrays.
  CHECK_FALSE(IsElementwise(plain,
                            "  i = s32[] get-tuple-element(loop), index=0\n"
                            "  y = f32[4,5] get-tuple-element(loop), index=1\n"
                            "  ROOT r = (s32[], f32[4,5]) tuple(i, y)\n"));
}

}  // namespace
}  // namespace sinter
