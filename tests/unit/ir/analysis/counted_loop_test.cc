#include "ir/analysis/counted_loop.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "ir/text/parser.h"

namespace sinter {
namespace {

struct Parts {
  std::string first = "constant(0)";
  std::string test = "compare(i, n), direction=LT";
  std::string end = "constant(9)";
  std::string next = "add(i, one)";
  std::string start = "  ROOT r = s32[] add(i, zero)";  // of the window
  std::string width = "1";
  std::string result = "y";  // next value of the array
  std::string more;          // of the body
};

// A loop that writes a window of its array x of nine rows in each turn.
std::unique_ptr<HloModule> Make(const Parts& p) {
  std::string text = R"(HloModule m
start {
  i = s32[] parameter(0)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  eight = s32[] constant(8)
  nine = s32[] constant(9)
$start
}
set {
  x = f32[9,4] parameter(0)
  u = f32[$width,4] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  ROOT r = f32[9,4] dynamic-update-slice(x, u, i, zero)
}
sum { x = f32[9,4] parameter(0) ROOT r = f32[9,4] add(x, x) }
less {
  i = s32[] parameter(0)
  n = s32[] $end
  ROOT r = pred[] $test
}
next { i = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] $next }
cond {
  s = (f32[9,4], s32[], f32[$width,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  ROOT r = pred[] fusion(i), kind=kLoop, calls=less
}
body {
  s = (f32[9,4], s32[], f32[$width,4]) parameter(0)
  x = f32[9,4] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  u = f32[$width,4] get-tuple-element(s), index=2
  at = s32[] fusion(i), kind=kLoop, calls=start
  y = f32[9,4] fusion(x, u, at), kind=kLoop, calls=set
  j = s32[] fusion(i), kind=kLoop, calls=next
$more
  ROOT r = (f32[9,4], s32[], f32[$width,4]) tuple($result, j, u)
}
ENTRY e {
  i = s32[] $first
  x = f32[9,4] parameter(0)
  u = f32[$width,4] parameter(1)
  s = (f32[9,4], s32[], f32[$width,4]) tuple(x, i, u)
  ROOT w = (f32[9,4], s32[], f32[$width,4]) while(s), condition=cond, body=body
})";
  const std::pair<const char*, const std::string&> parts[] = {
      {"$start", p.start}, {"$width", p.width}, {"$end", p.end},       {"$test", p.test},
      {"$next", p.next},   {"$first", p.first}, {"$result", p.result}, {"$more", p.more}};
  for (const auto& [name, with] : parts) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, std::string(name).size(), with);
  }
  auto module = ParseHloText(text, "t");
  INFO(text);
  REQUIRE(module.ok());
  return *std::move(module);
}

int64_t Turns(const Parts& p) {
  const auto module = Make(p);
  const std::optional<CountedLoop> counted = CountTurns(*module->entry()->root());
  return counted ? counted->turns : -1;
}
bool Overwritten(const Parts& p) {
  const auto module = Make(p);
  const std::vector<bool> elements = OverwrittenElements(*module->entry()->root());
  REQUIRE(elements.size() == 3);
  CHECK(!elements[1]);
  CHECK(!elements[2]);
  return elements[0];
}

}  // namespace

TEST_CASE("Turns follow from where a counter begins, steps and ends") {
  CHECK(Turns({}) == 9);
  CHECK(Turns({.first = "constant(3)"}) == 6);
  CHECK(Turns({.first = "constant(9)"}) == 0);
  CHECK(Turns({.test = "compare(i, n), direction=LE"}) == 10);
  CHECK(Turns({.test = "compare(i, n), direction=NE"}) == 9);
  CHECK(Turns({.test = "compare(i, n), direction=GT"}) == 0);
  CHECK(Turns({.first = "constant(9)",
               .test = "compare(i, n), direction=GE",
               .end = "constant(2)",
               .next = "subtract(i, one)"}) == 8);
  CHECK(Turns({.first = "constant(2147483640)", .end = "constant(2147483647)"}) == 7);
}

TEST_CASE("Turns are unknown where a counter wraps, stays, or is no constant") {
  CHECK(Turns({.next = "multiply(i, one)"}) == -1);  // it stays
  CHECK(Turns({.next = "multiply(i, i)"}) == -1);
  CHECK(Turns({.next = "subtract(i, one)"}) == -1);
  CHECK(Turns({.first = "constant(10)", .test = "compare(i, n), direction=NE"}) == -1);
  CHECK(Turns({.first = "constant(2147483640)",
               .test = "compare(i, n), direction=LE",
               .end = "constant(2147483647)"}) == -1);
  CHECK(Turns({.first = "parameter(2)"}) == -1);
}

TEST_CASE("An array is overwritten where the turns' windows cover it") {
  CHECK(Overwritten({}));
  // From its end on.
  CHECK(Overwritten({.start = "  ROOT r = s32[] subtract(eight, i)"}));
  // Negative indices count from the end.
  const std::string wrapped =
      "  p = pred[] compare(i, zero), direction=LT\n  w = s32[] add(i, nine)\n"
      "  ROOT r = s32[] select(p, w, i)";
  CHECK(Overwritten({.start = wrapped}));
  CHECK(Overwritten({.start = "  ROOT r = s32[] clamp(zero, i, eight)"}));
  // Three rows at a time, and windows that overlap.
  const std::string three = "  k = s32[] constant(3)\n  ROOT r = s32[] multiply(i, k)";
  CHECK(Overwritten({.end = "constant(3)", .start = three, .width = "3"}));
  CHECK(Overwritten({.end = "constant(7)", .width = "3"}));
  CHECK(Overwritten({.end = "constant(1)", .width = "9"}));
}

TEST_CASE("An array is not overwritten where a row is left or read") {
  CHECK(!Overwritten({.end = "constant(8)"}));
  CHECK(!Overwritten({.first = "constant(1)"}));
  CHECK(!Overwritten({.end = "constant(10)"}));   // the last start is moved
  CHECK(!Overwritten({.first = "constant(9)"}));  // no turn
  CHECK(!Overwritten({.start = "  ROOT r = s32[] add(i, one)"}));
  CHECK(!Overwritten({.start = "  ROOT r = s32[] multiply(i, i)"}));
  CHECK(!Overwritten({.start = "  k = s32[] constant(4)\n  p = pred[] compare(i, k), direction=LT\n"
                               "  ROOT r = s32[] select(p, zero, i)"}));
  const std::string four = "  k = s32[] constant(4)\n  ROOT r = s32[] multiply(i, k)";
  CHECK(!Overwritten({.end = "constant(2)", .start = four, .width = "3"}));
  const std::string read = "  z = f32[9,4] fusion(x), kind=kLoop, calls=sum\n";
  CHECK(!Overwritten({.result = "z", .more = read}));
  CHECK(!Overwritten({.more = read}));
  CHECK(!Overwritten({.result = "z", .more = "  z = f32[9,4] fusion(y), kind=kLoop, calls=sum\n"}));
  CHECK(!Overwritten({.result = "x"}));
}

TEST_CASE("Windows that a turn writes one after another cover an array together") {
  const std::string two =
      "  k = s32[] constant(2)\n  ROOT r = s32[] multiply(i, k)";  // rows 0, 2, 4, 6
  const Parts p{.end = "constant(4)",
                .start = two,
                .width = "2",
                .result = "z",
                .more = "  z = f32[9,4] fusion(y, u, i), kind=kLoop, calls=set\n"};
  CHECK(!Overwritten(p));  // the second one has another step
  Parts both{.end = "constant(7)", .width = "2", .result = "z"};
  both.more =
      "  a = s32[] fusion(at), kind=kLoop, calls=next\n"
      "  z = f32[9,4] fusion(y, u, a), kind=kLoop, calls=set\n";
  CHECK(Overwritten(both));
}

}  // namespace sinter
