// Which loops go on while any element does.
#include "ir/analysis/masked_loop.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "base/text.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

// A while over (s32[], f32[8], f32[8], pred[8]); the condition is `more`, the body makes y, z and q
// of x, w and p.
bool IsMasked(const std::string& more, const std::string& body) {
  const std::string state = "(s32[], f32[8], f32[8], pred[8])";
  const std::string parts =
      "  s = " + state +
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[8] get-tuple-element(s), index=1\n  w = f32[8] get-tuple-element(s), index=2\n"
      "  p = pred[8] get-tuple-element(s), index=3\n  one = s32[] constant(1)\n";
  auto module = ParseHloText(
      "HloModule m\nor {\n  a = pred[] parameter(0)\n  b = pred[] parameter(1)\n"
      "  ROOT r = pred[] or(a, b)\n}\nand {\n  a = pred[] parameter(0)\n  b = pred[] parameter(1)\n"
      "  ROOT r = pred[] and(a, b)\n}\nmore {\n" +
          parts + more + "}\nstep {\n" + parts + "  j = s32[] add(i, one)\n" + body +
          "  ROOT r = " + state +
          " tuple(j, y, z, q)\n}\nENTRY main {\n  x = f32[8] parameter(0)\n" +
          "  p = pred[8] parameter(1)\n  i = s32[] constant(0)\n  s = " + state +
          " tuple(i, x, x, p)\n  loop = " + state + " while(s), condition=more, body=step\n" +
          "  ROOT r = f32[8] get-tuple-element(loop), index=1\n}\n",
      "loop.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  const HloInstruction* loop = (*module)->entry()->root()->operand(0);
  CHECK(IsElementwiseLoop(*loop) == (AnyGoesOn(*loop) != nullptr));
  return AnyGoesOn(*loop) != nullptr;
}

const std::string kAny =
    "  no = pred[] constant(false)\n"
    "  ROOT r = pred[] reduce(p, no), dimensions={0}, to_apply=or\n";
const std::string kLess =
    "  c = pred[8] compare(x, w), direction=LT\n  no = pred[] constant(false)\n"
    "  ROOT r = pred[] reduce(c, no), dimensions={0}, to_apply=or\n";
const std::string kStep = "  n = f32[8] multiply(x, x)\n";

TEST_CASE("loops whose elements keep their values once they do not go on") {
  // By a flag that they carry.
  const std::string flagged = kStep +
                              "  y = f32[8] select(p, n, x)\n  z = f32[8] copy(w)\n"
                              "  e = pred[8] compare(y, w), direction=LT\n";
  CHECK(IsMasked(kAny, kStep + "  y = f32[8] select(p, n, x)\n  z = f32[8] select(p, x, w)\n"
                               "  e = pred[8] compare(n, w), direction=LT\n"
                               "  q = pred[8] and(e, p)\n"));
  // By what they are.
  CHECK(IsMasked(kLess, kStep + "  c = pred[8] compare(x, w), direction=LT\n"
                                "  y = f32[8] select(c, n, x)\n  z = f32[8] get-tuple-element(s), "
                                "index=2\n  q = pred[8] get-tuple-element(s), index=3\n"));
  // Until all are done.
  const std::string all =
      "  yes = pred[] constant(true)\n"
      "  d = pred[] reduce(p, yes), dimensions={0}, to_apply=and\n";
  const std::string done = kStep +
                           "  y = f32[8] select(p, x, n)\n  z = f32[8] select(p, w, x)\n"
                           "  e = pred[8] compare(n, w), direction=LT\n  q = pred[8] or(p, e)\n";
  CHECK(IsMasked(all + "  ROOT r = pred[] not(d)\n", done));
  CHECK(IsMasked(all + "  m = pred[] not(d)\n  l = pred[] compare(i, one), direction=LT\n"
                       "  ROOT r = pred[] and(l, m)\n",
                 done));
  // While all are: the first one that is not ends the others.
  CHECK_FALSE(IsMasked(all + "  ROOT r = pred[] and(d, d)\n", done));
  // The flag may rise again; a copy is not the value itself.
  CHECK_FALSE(IsMasked(kAny, flagged + "  q = pred[8] or(e, p)\n"));
}

TEST_CASE("loops that change elements which do not go on") {
  CHECK_FALSE(IsMasked(kAny, kStep + "  y = f32[8] select(p, n, x)\n  z = f32[8] multiply(w, w)\n"
                                     "  e = pred[8] compare(n, w), direction=LT\n"
                                     "  q = pred[8] and(e, p)\n"));
  // The wrong way round, or by another predicate.
  CHECK_FALSE(IsMasked(kAny, kStep + "  y = f32[8] select(p, x, n)\n  z = f32[8] select(p, x, w)\n"
                                     "  e = pred[8] compare(n, w), direction=LT\n"
                                     "  q = pred[8] and(e, p)\n"));
  CHECK_FALSE(IsMasked(kLess, kStep + "  c = pred[8] compare(x, w), direction=LE\n"
                                      "  y = f32[8] select(c, n, x)\n"
                                      "  z = f32[8] get-tuple-element(s), index=2\n"
                                      "  q = pred[8] get-tuple-element(s), index=3\n"));
  // How long an element goes on depends on the turn.
  CHECK_FALSE(
      IsMasked("  f = f32[] convert(i)\n  fs = f32[8] broadcast(f), dimensions={}\n"
               "  c = pred[8] compare(x, fs), direction=LT\n  no = pred[] constant(false)\n"
               "  ROOT r = pred[] reduce(c, no), dimensions={0}, to_apply=or\n",
               kStep + "  f = f32[] convert(i)\n  fs = f32[8] broadcast(f), dimensions={}\n"
                       "  c = pred[8] compare(x, fs), direction=LT\n"
                       "  y = f32[8] select(c, n, x)\n"
                       "  z = f32[8] get-tuple-element(s), index=2\n"
                       "  q = pred[8] get-tuple-element(s), index=3\n"));
}

}  // namespace
}  // namespace sinter
