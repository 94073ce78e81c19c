// Which states are carried row by row: a case a rule, by what the loop carries after the pass.
#include "passes/layout/split_states.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

// A loop that carries a counter, `x` of the type, a table and an array that a turn makes of these:
// of its text, `next`, `table2` and `whole2` are carried on. Gives the types of what is carried but
// for the counter.
std::string Carries(const std::string& type, const std::string& turn,
                    const std::string& whole = "f32[8,8]", const std::string& condition = "") {
  const std::string table = "f32[20,100,3]",
                    state = "(s32[], " + type + ", " + table + ", " + whole + ")";
  const std::string text =
      "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b) }\n"
      "more { s = " +
      state +
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(9)\n  p = pred[] compare(i, n), direction=LT\n" +
      condition +
      "  ROOT r = pred[] and(p, p) }\n"
      "turn { s = " +
      state +
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = " +
      type +
      " get-tuple-element(s), index=1\n"
      "  table = " +
      table +
      " get-tuple-element(s), index=2\n"
      "  whole = " +
      whole +
      " get-tuple-element(s), index=3\n"
      "  z = s32[] constant(0)\n  none = f32[] constant(0)\n  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n" +
      turn + "\n  ROOT r = " + state + " tuple(j, next, " +
      (turn.find("table2") == std::string::npos ? "table" : "table2") + ", " +
      (turn.find("whole2") == std::string::npos ? "whole" : "whole2") +
      ") }\n"
      "ENTRY main { s = " +
      state +
      " parameter(0)\n"
      "  ROOT w = " +
      state + " while(s), condition=more, body=turn }\n";
  auto module = ParseHloText(text, "states.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  auto changed = MakeSplitStatesPass()->Run(**module);
  INFO(changed.status().ToString());
  REQUIRE(changed.ok());
  const absl::Status verified = VerifyModule(**module);
  INFO(verified.ToString());
  CHECK(verified.ok());
  std::vector<std::string> carried;
  for (const HloInstruction* i : (*module)->entry()->PostOrder()) {
    if (i->op() != HloOpcode::While) continue;
    const std::vector<Shape>& shapes = i->shape().tuple_shapes();
    for (size_t k = 1; k < shapes.size(); ++k)
      if (shapes[k].dimensions() != Dims{20, 100, 3}) carried.push_back(shapes[k].ToString());
  }
  return Join(carried, " ");
}

constexpr const char* kReversed = "  next = f32[100,3] reverse(x), dimensions={1}";

TEST_CASE("a state whose rows meet is carried row by row") {
  CHECK(Carries("f32[100,3]", kReversed) == "f32[8,8] f32[100] f32[100] f32[100]");
  CHECK(Carries("f32[2,100]", "  next = f32[2,100] reverse(x), dimensions={0}") ==
        "f32[8,8] f32[100] f32[100]");
  CHECK(Carries("f32[3]", "  next = f32[3] reverse(x), dimensions={0}") ==
        "f32[8,8] f32[] f32[] f32[]");
}

TEST_CASE("elementwise states and those of many rows stay") {
  CHECK(Carries("f32[100,3]", "  next = f32[100,3] negate(x)") == "f32[100,3] f32[8,8]");
  CHECK(Carries("f32[100,10]", "  next = f32[100,10] reverse(x), dimensions={1}") ==
        "f32[100,10] f32[8,8]");
}

TEST_CASE("what no turn changes is split with a state that is, and not alone") {
  const std::string scaled =
      "  e = f32[1] slice(whole), slice={[1:2]}\n  f = f32[] reshape(e)\n"
      "  each = f32[100,3] broadcast(f), dimensions={}\n";
  CHECK(Carries("f32[100,3]", scaled + "  next = f32[100,3] multiply(x, each)", "f32[3]") ==
        "f32[100,3] f32[3]");
  CHECK(Carries("f32[100,3]",
                "  back = f32[100,3] reverse(x), dimensions={1}\n"
                "  each = f32[100,3] broadcast(whole), dimensions={1}\n"
                "  next = f32[100,3] multiply(back, each)",
                "f32[3]") == "f32[100] f32[100] f32[100] f32[] f32[] f32[]");
}

TEST_CASE("a state that the condition looks at stays") {
  CHECK(Carries("f32[100,3]", kReversed, "f32[8,8]",
                "  x = f32[100,3] get-tuple-element(s), index=1\n") ==
        "f32[8,8] f32[100] f32[100] f32[100]");
  CHECK(Carries("f32[100,3]", kReversed, "f32[8,8]",
                "  x = f32[100,3] get-tuple-element(s), index=1\n  y = f32[100,3] negate(x)\n") ==
        "f32[100,3] f32[8,8]");
}

TEST_CASE("what is stacked or reduced is put together for it") {
  CHECK(Carries("f32[100,3]",
                std::string(kReversed) +
                    "\n  row = f32[1,100,3] reshape(next)\n"
                    "  table2 = f32[20,100,3] dynamic-update-slice(table, row, i, z, z)") ==
        "f32[8,8] f32[100] f32[100] f32[100]");
  CHECK(Carries("f32[100,3]",
                std::string(kReversed) +
                    "\n  whole2 = f32[] reduce(x, none), dimensions={0,1}, to_apply=add",
                "f32[]") == "f32[] f32[100] f32[100] f32[100]");
}

TEST_CASE("what needs a whole array keeps it") {
  CHECK(Carries("f32[100,3]",
                std::string(kReversed) +
                    "\n  whole2 = f32[3,3] dot(x, next), lhs_contracting_dims={0}, "
                    "rhs_contracting_dims={0}",
                "f32[3,3]") == "f32[100,3] f32[3,3]");
  CHECK(Carries("f32[100,3]", std::string(kReversed) + "\n  whole2 = f32[100,3] sine(next)",
                "f32[100,3]") == "f32[100] f32[100] f32[100] f32[100] f32[100] f32[100]");
}

TEST_CASE("parts are cut out of what is moved, and not out of what a product gives") {
  CHECK(Carries("f32[100,3]",
                "  y = f32[1,100,3] dynamic-slice(table, i, z, z), dynamic_slice_sizes={1,100,3}\n"
                "  read = f32[100,3] reshape(y)\n  back = f32[100,3] reverse(x), dimensions={1}\n"
                "  next = f32[100,3] add(back, read)") == "f32[8,8] f32[100] f32[100] f32[100]");
  CHECK(
      Carries("f32[100,3]",
              "  wide = f32[100,100] broadcast(none), dimensions={}\n"
              "  y = f32[100,3] dot(wide, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
              "  back = f32[100,3] reverse(x), dimensions={1}\n"
              "  next = f32[100,3] add(back, y)") == "f32[100,3] f32[8,8]");
}

}  // namespace
}  // namespace sinter
