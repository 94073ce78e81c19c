#include "pass/carries.h"

#include <catch2/catch.hpp>

#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

// The loop is the result as a whole; its turns exchange two arrays, and pass one on.
constexpr const char* kLoop =
    "HloModule m\n"
    "more { s = (s32[], f32[4], f32[4], f32[2]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(9)\n"
    "  ROOT r = pred[] compare(i, n), direction=LT }\n"
    "turn { s = (s32[], f32[4], f32[4], f32[2]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n  x = f32[4] get-tuple-element(s), index=1\n"
    "  y = f32[4] get-tuple-element(s), index=2\n  w = f32[2] get-tuple-element(s), index=3\n"
    "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
    "  ROOT r = (s32[], f32[4], f32[4], f32[2]) tuple(j, y, x, w) }\n"
    "ENTRY main { s = (s32[], f32[4], f32[4], f32[2]) parameter(0)\n"
    "  t = f32[3] parameter(1)\n"
    "  ROOT loop = (s32[], f32[4], f32[4], f32[2]) while(s), condition=more, body=turn }\n";

struct Program {
  std::unique_ptr<HloModule> module;
  HloInstruction* loop = nullptr;
};
Program Read() {
  auto module = ParseHloText(kLoop, "loop.hlo");
  REQUIRE(module.ok());
  Program p{*std::move(module)};
  p.loop = p.module->entry()->root();
  return p;
}

TEST_CASE("a loop of computations of its own carries elements") {
  const Program p = Read();
  Callers callers = CountCallers(*p.module);
  CHECK(CarriesElements(*p.loop, callers));
  CHECK_FALSE(IsTakenApart(p.loop));
  CHECK(IsPassedOn(*p.loop, 3));
  CHECK_FALSE(IsPassedOn(*p.loop, 1));
  ++callers[p.loop->called(1)];
  CHECK_FALSE(CarriesElements(*p.loop, callers));
}

TEST_CASE("what is carried more is passed on, and the result stays what it was") {
  const Program p = Read();
  const Shape before = p.loop->shape();
  const auto more = CarryMore(*p.loop, {p.module->entry()->parameter(1)});
  CHECK(VerifyModule(*p.module).ok());
  REQUIRE(more.size() == 1);
  CHECK(more[0]->shape() == Shape(ElementType::F32, {3}));
  CHECK(p.loop->shape().tuple_shapes().size() == 5);
  CHECK(IsPassedOn(*p.loop, 4));
  CHECK(IsTakenApart(p.loop));
  CHECK(p.module->entry()->root()->shape() == before);
}

TEST_CASE("what is dropped is carried no longer") {
  const Program p = Read();
  TakeApart(*p.loop);
  HloComputation& c = *p.module->entry();
  const std::vector<HloInstruction*> users = p.loop->users();
  for (HloInstruction* u : users)
    if (IndexOf(u) == 3) c.ReplaceAllUses(u, InitialElement(*p.loop, 3));
  DropCarries(*p.loop, {true, true, true, false});
  CHECK(VerifyModule(*p.module).ok());
  CHECK(p.loop->shape().tuple_shapes().size() == 3);
  CHECK(c.root()->operand(3)->operand(0) == c.parameter(0));
}

}  // namespace
}  // namespace sinter
