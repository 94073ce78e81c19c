// Operations that start in one place of the text and end in another.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

// What the root is, or the error.
std::string Root(std::string_view computations, std::string_view entry) {
  std::string text = Format("HloModule m\n{}\nENTRY e {{\n{}\n}}\n", computations, entry);
  auto m = ParseHloText(text, "t.hlo");
  absl::Status s = m.ok() ? VerifyModule(**m) : m.status();
  if (!s.ok()) {
    std::string message = MessageOf(s);
    return message.substr(0, message.find('\n'));
  }
  // What is printed reads back.
  auto again = ParseHloText(Print(**m), "again.hlo");
  if (!again.ok() || Print(**again) != Print(**m)) return "does not read back";
  return Print(*(*m)->entry()->root());
}

constexpr std::string_view kSum = R"(f {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  ROOT s = f32[2] add(a, b)
})";

TEST_CASE("Operands may join a chain at its updates") {
  CHECK(Root(kSum, R"(x = f32[2] parameter(0)
s = ((), f32[2], s32[]) async-start(), calls=f
u = ((f32[2]), f32[2], s32[]) async-update(s, x)
v = ((f32[2], f32[2]), f32[2], s32[]) async-update(u, x)
ROOT r = f32[2] async-done(v))") == "r = f32[2] call(x, x), to_apply=f");
  CHECK(Root("", R"(x = f32[2,2] parameter(0)
s = ((f32[2,2]), (), u32[]) dot-start(x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
u = ((f32[2,2], f32[2,2]), (), u32[]) dot-update(s, x)
ROOT r = f32[2,2] dot-done(u))") ==
        "r = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
}

TEST_CASE("The end may say what the result is") {
  CHECK(Root(kSum, R"(x = f32[2] parameter(0)
s = ((f32[2], f32[2]), (), s32[]) async-start(x, x), calls=f
ROOT r = f32[2] async-done(s))") == "r = f32[2] call(x, x), to_apply=f");
}

TEST_CASE("A computation may stand where its name would") {
  CHECK(Root("", R"(x = f32[2] parameter(0)
s = ((f32[2]), f32[2], s32[]) call-start(x), to_apply={
  a = f32[2] parameter(0)
  ROOT n = f32[2] negate(a)
}, async_execution_thread="other"
ROOT r = f32[2] call-done(s))")
            .find("= f32[2] call(x), to_apply=e.inline") != std::string::npos);
  CHECK(Root("e.inline { ROOT a = f32[2] parameter(0) }", R"(x = f32[2] parameter(0)
ROOT r = f32[2] call(x), to_apply={ ROOT a = f32[2] parameter(0) })") ==
        "r = f32[2] call(x), to_apply=e.inline.1");
  std::string deep = "a = f32[] parameter(0)\nROOT r = f32[] call(a), to_apply=";
  for (int n = 0; n < 100; ++n)
    deep += "{ a = f32[] parameter(0) ROOT r = f32[] call(a), to_apply=";
  CHECK(Root("", deep).find("computations in computations nested deeper than 64 levels") !=
        std::string::npos);
}

TEST_CASE("The parts of a chain belong together") {
  constexpr std::string_view kStart = R"(x = f32[2] parameter(0)
s = ((f32[2]), f32[2], s32[]) negate-start(x)
)";
  CHECK(Root("", Format("{}ROOT r = f32[2] abs-done(s)", kStart)) ==
        "t.hlo:6:17: abs-done: continues what negate-start begins");
  CHECK(
      Root("", Format("{}ROOT r = f32[2] negate-done(s), async_execution_thread=\"a\"", kStart)) ==
      "t.hlo:6:17: negate-done: runs on the thread 'a', its start on 'main'");
  CHECK(Root("",
             Format("{}ROOT u = ((f32[2], f32[2]), f32[2], s32[]) negate-update(s, x)", kStart)) ==
        "t.hlo:6:44: negate-update: takes operands, but its start has all of them");
  CHECK(Root(kSum, R"(x = f32[2] parameter(0)
s = ((f32[2], f32[2]), f32[2], s32[]) async-start(x, x), calls=f
t = ((f32[2], f32[2]), f32[2], s32[]) async-start(x, x), calls=f
ROOT r = f32[2] async-done(t))")
            .find("async-start: another async-start calls f") != std::string::npos);
  CHECK(Root(std::string(kSum) + "\ng { a = f32[2] parameter(0) b = f32[2] parameter(1) "
                                 "ROOT s = f32[2] add(a, b) }",
             R"(x = f32[2] parameter(0)
s = ((f32[2], f32[2]), f32[2], s32[]) async-start(x, x), calls=f
ROOT r = f32[2] async-done(s), calls=g)")
            .find("async-done: calls another computation than its start") != std::string::npos);
  // XLA has ends of its own for collectives, and no updates.
  CHECK(Root("", R"(x = f32[2] parameter(0)
s = (f32[2], f32[4], u32[]) all-gather-start(x), dimensions={0}
ROOT u = (f32[2], f32[4], u32[]) all-gather-update(s))")
            .find("there is no op 'all-gather-update'") != std::string::npos);
}

TEST_CASE("Elements of tuples are operands") {
  CHECK(Root("", R"(x = (f32[2], (f32[3], f32[3])) parameter(0)
ROOT r = f32[3] add(f32[3] %x#1#0, %x#1#1))")
            .find("r = f32[3] add(") == 0);
  CHECK(Root("", R"(x = (f32[2], f32[3]) parameter(0)
ROOT r = f32[3] negate(x#2))") ==
        "t.hlo:5:25: get-tuple-element: (C1) the tuple of 2 has no element 2; "
        "operands (f32[2], f32[3])");
  CHECK(Root("", R"(x = f32[2] parameter(0)
ROOT r = f32[2] negate(x#0))")
            .find("the operand must be a tuple") != std::string::npos);
  CHECK(Root("", R"(x = (f32[2], f32[3]) parameter(0)
ROOT r = f32[3] negate(x#a))") == "t.hlo:5:26: expected the number of an element");
}

TEST_CASE("Operations between participants are read, and printed as they were") {
  for (std::string_view root : {
           "r = f32[4] ragged-all-to-all(x, x, i, i, i, i), replica_groups={{0,1}}",
           "r = u64[2] rng-get-and-update-state(), delta=4096",
           "r = f32[4] collective-broadcast(x, j), replica_groups={{0,1}}, has_dynamic_root=true",
           "r = f32[4] collective-permute(x, x, t, t), source_target_pairs={{0,1},{0,2}}, "
           "slice_sizes={{2}}",
       }) {
    CHECK(Root("",
               Format("x = f32[4] parameter(0)\ni = s32[2] parameter(1)\nj = s32[1] parameter(2)\n"
                      "k = s32[] constant(0)\nt = (s32[]) tuple(k)\nROOT {}",
                      root)) == root);
  }
}

}  // namespace
}  // namespace sinter
