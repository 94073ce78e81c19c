#include "codegen/kernel/assign_layouts.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/status.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/multiples.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "unit/kernel_ops.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

constexpr std::string_view kAssignHead =
    "  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c64:s64 = const 64\n  %c4096:s64 = const 4096\n"
    "  %zero:f32 = const 0\n"
    "  buffer @x f32 argument [%c64, %c4096] [%c4096, %c1]\n"
    "  buffer @h f16 argument [%c64, %c4096] [%c4096, %c1]\n"
    "  buffer @o f32 argument [%c64, %c4096] [%c4096, %c1] written\n";

// `body` in a stage of one task, laid out.
absl::StatusOr<Kernel> LaidOut(std::string_view body, GpuShape shape = {}) {
  ASSIGN_OR_RETURN(
      Kernel k,
      Parse(
          Format("kernel k lanes 32 {{\n{}  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n{}\n    yield\n  "
                 "}}\n}}\n",
                 kAssignHead, body)));
  RETURN_IF_ERROR(AssignLayouts(k, shape));
  RETURN_IF_ERROR(Verify(k));
  return k;
}
// Its text from the layouts to the parameters, and the lines of the stage.
std::string Layouts(std::string_view body, GpuShape shape = {}) {
  auto k = LaidOut(body, shape);
  if (!k.ok()) return k.status().ToString();
  const std::string text = Print(*k);
  const size_t from = text.find("  layout");
  return from == text.npos ? "" : text.substr(from, text.find("  %", from) - from);
}
int Relayouts(std::string_view body) {
  auto k = LaidOut(body);
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  return CountOf(k->top, OpCode::kRelayout);
}

TEST_CASE("a row runs along lanes and warps, as wide as one access") {
  const std::string row = "%v:f32[1x1024] = load @x[%i, %c0+c]\n store %v, @o[%i, %c0+c]";
  CHECK(Layouts(row, {.warps = 4}) == "  layout #1 rows [] cols [reg 2, warp 4, lane 32, reg 4]\n");
  CHECK(Layouts(row, {.warps = 8}) == "  layout #1 rows [] cols [warp 8, lane 32, reg 4]\n");
  // Fewer elements than accesses fill: all threads work, with narrower ones.
  CHECK(Layouts(row, {.warps = 32}) == "  layout #1 rows [] cols [warp 32, lane 32]\n");
  CHECK(Layouts("%v:f32[1x16] = load @x[%i, %c0+c]\n store %v, @o[%i, %c0+c]") ==
        "  layout #1 rows [] cols [lane 16]\n");
  CHECK(Layouts("%v:f32[1x96] = load @x[%i, %c0+c]\n store %v, @o[%i, %c0+c]", {.warps = 1}) ==
        "  layout #1 rows [] cols [reg 3, lane 16, reg 2]\n");
}

TEST_CASE("the widest element that moves sets the access") {
  CHECK(Layouts("%v:f16[1x2048] = load @h[%i, %c0+c]") ==
        "  layout #1 rows [] cols [reg 2, warp 4, lane 32, reg 8]\n");
  CHECK(Layouts("%v:f16[1x2048] = load @h[%i, %c0+c]\n %w:f32[1x2048] = cvt %v\n"
                " store %w, @o[%i, %c0+c]") ==
        "  layout #1 rows [] cols [reg 4, warp 4, lane 32, reg 4]\n");
}

TEST_CASE("rows take warps, and lanes that columns leave") {
  CHECK(Layouts("%v:f32[8x1024] = load @x[%c0+r, %c0+c]\n %s:f32[8x1] = reduce.cols %v { (%a:f32, "
                "%b:f32)\n %d:f32 = add %a, %b\n yield %d\n }\n store %s, @o[%c0+r, %c0]") ==
        "  layout #1 rows [reg 2, warp 4] cols [reg 8, lane 32, reg 4]\n");
  CHECK(Layouts("%v:f32[64x16] = load @x[%c0+r, %c0+c]") ==
        "  layout #1 rows [reg 2, warp 4, lane 8 stride 4] cols [lane 4, reg 4]\n");
  // Where rows are reduced, columns have the warps first.
  CHECK(
      Layouts("%v:f32[8x1024] = load @x[%c0+r, %c0+c]\n %s:f32[1x1024] = reduce.rows %v { (%a:f32, "
              "%b:f32)\n %d:f32 = add %a, %b\n yield %d\n }\n store %s, @o[%c0, %c0+c]") ==
      "  layout #1 rows [reg 8] cols [reg 2, warp 4, lane 32, reg 4]\n");
}

TEST_CASE("a transposed tile has neighbours in neighbouring lanes") {
  CHECK(Layouts("%v:f32[32x32] = load @x[%c0+r, %c0+c]\n %t:f32[32x32] = transpose %v\n"
                " store %t, @o[%c0+r, %c0+c]") ==
        "  layout #1 rows [reg 8, warp 4] cols [lane 32]\n");
}

TEST_CASE("outer products are squares of registers") {
  const std::string layouts = Layouts(
      "%z:f32[64x64] = splat %zero\n %a:f32[64x1] = load @x[%c0+r, %i]\n"
      " %b:f32[1x64] = load @x[%i, %c0+c]\n %f:f32[64x64] = fma %a, %b, %z\n"
      " store %f, @o[%c0+r, %c0+c]");
  CHECK(layouts ==
        "  layout #1 rows [warp 4, lane 4 stride 8, reg 4] cols [reg 2, lane 8, reg 4]\n");
}

TEST_CASE("a row or column has the layout of its tile") {
  const std::string softmax =
      "%v:f32[8x64] = load @x[%c0+r, %c0+c]\n %m:f32[8x1] = reduce.cols %v { (%a:f32, %b:f32)\n"
      " %d:f32 = max %a, %b\n yield %d\n }\n %n:f32[8x1] = neg %m\n %w:f32[1x64] = load @x[%i, "
      "%c0+c]\n"
      " %s:f32[8x64] = add %v, %n\n %t:f32[8x64] = mul %s, %w\n store %t, @o[%c0+r, %c0+c]";
  CHECK(Relayouts(softmax) == 0);
  CHECK(Layouts(softmax) == "  layout #1 rows [warp 4, lane 2 stride 16] cols [lane 16, reg 4]\n");
}

TEST_CASE("a value wanted in two layouts is moved, where it is made, once") {
  // The row meets tiles of 4 and of 64 rows, whose columns have different layouts.
  const std::string body =
      "%w:f32[1x64] = load @x[%i, %c0+c]\n %p:f32[1x64] = neg %w\n"
      " for.seq.exact 1 %c0, %c64 { (%j:s64)\n"
      " %v:f32[64x64] = load @x[%c0+r, %c0+c]\n %a:f32[64x64] = add %v, %p\n"
      " %b:f32[64x64] = mul %a, %p\n store %b, @o[%c0+r, %c0+c]\n"
      " %u:f32[4x64] = load @x[%c0+r, %c0+c]\n %d:f32[4x64] = add %u, %p\n"
      " %e:f32[1x64] = reduce.rows %d { (%f:f32, %g:f32)\n %h:f32 = add %f, %g\n yield %h\n }\n"
      " store %e, @o[%i, %c64+c]\n yield\n }";
  auto k = LaidOut(body);
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  INFO(Print(*k));
  CHECK(CountOf(k->top, OpCode::kRelayout) == 1);
  const auto& ops = k->top.ops.back().regions[0].ops;
  CHECK(std::any_of(ops.begin(), ops.end(),
                    [](const Op& op) { return op.code == OpCode::kRelayout; }));
  // What costs nothing is made again.
  std::string again = body;
  const std::string loaded = "%w:f32[1x64] = load @x[%i, %c0+c]\n %p:f32[1x64] = neg %w";
  again.replace(again.find(loaded), loaded.size(), "%p:f32[1x64] = iota.cols");
  INFO(again);
  CHECK(Relayouts(again) == 0);
}

TEST_CASE("results of reductions follow what they are used with") {
  const std::string body =
      "%v:f32[4x64] = load @x[%c0+r, %c0+c]\n %m:f32[4x1] = reduce.cols %v { (%a:f32, %b:f32)\n"
      " %d:f32 = max %a, %b\n yield %d\n }\n %u:f32[4x1024] = load @x[%c0+r, %c0+c]\n"
      " %t:f32[4x1024] = mul %u, %m\n store %t, @o[%c0+r, %c0+c]";
  CHECK(Relayouts(body) <= 1);
}

TEST_CASE("halves and wholes") {
  CHECK(Layouts(
            "%v:f32[1x1024] = load @x[%i, %c0+c]\n %a:f32[1x512], %b:f32[1x512] = deinterleave %v\n"
            " %s:f32[1x512] = add %a, %b\n %w:f32[1x1024] = interleave %s, %b\n"
            " store %w, @o[%i, %c0+c]") ==
        "  layout #1 rows [] cols [reg 2, warp 4, lane 32, reg 2]\n"
        "  layout #2 rows [] cols [reg 2, warp 4, lane 32, reg 4]\n");
  CHECK(Relayouts("%v:f32[1x2] = load @x[%i, %c0+c]\n %a:f32, %b:f32 = deinterleave %v\n"
                  " %w:f32[1x2] = interleave %b, %a\n store %w, @o[%i, %c0+c]") == 0);
  // A row of a tile whose halves are squares of another layout.
  CHECK(Relayouts("%v:f32[8x128] = load @x[%c0+r, %c0+c]\n"
                  " %a:f32[8x64], %b:f32[8x64] = deinterleave %v\n %t:f32[64x8] = transpose %a\n"
                  " store %t, @o[%c0+r, %c0+c]\n store %v, @o[%c0+r, %c64+c]") == 0);
}

TEST_CASE("loops carry what enters and leaves them in one layout") {
  CHECK(Relayouts("%z:f32[1x1024] = splat %zero\n %s:f32[1x1024] = for.seq.exact 1 %c0, %c64, %z { "
                  "(%j:s64, %a:f32[1x1024])\n %v:f32[1x1024] = load @x[%j, %c0+c]\n"
                  " %b:f32[1x1024] = add %a, %v\n yield %b\n }\n store %s, @o[%i, %c0+c]") == 0);
}

TEST_CASE("layouts change no result") {
  auto k = Parse(
      Format("kernel k lanes 32 {{\n{}  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n"
             "%v:f32[64x64] = load @x[%c0+r, %c0+c]\n %t:f32[64x64] = transpose %v\n"
             " %s:f32[64x64] = sub %t, %v\n %m:f32[64x1] = reduce.cols %s {{ (%a:f32, %b:f32)\n"
             " %d:f32 = max %a, %b\n yield %d\n }}\n %q:f32[1x64] = transpose %m\n"
             " %y:f32[64x64] = mul %s, %q\n store %y, @o[%c0+r, %c0+c]\n yield\n  }}\n}}\n",
             kAssignHead));
  REQUIRE(k.ok());
  std::vector<float> x(64 * 4096), plain(x.size()), with_layouts(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000);
  std::vector<uint16_t> h(x.size());
  void* buffers[] = {x.data(), h.data(), plain.data()};
  CHECK(Interpret(*k, buffers, {}).ToString() == "OK");
  REQUIRE(AssignLayouts(*k, {.warps = 4}).ok());
  buffers[2] = with_layouts.data();
  CHECK(Interpret(*k, buffers, {}).ToString() == "OK");
  CHECK(plain == with_layouts);
}

TEST_CASE("errors") {
  Kernel k;
  CHECK_THAT(AssignLayouts(k, {.warps = 3}).ToString(), Contains("a block of 3 warps"));
  CHECK_THAT(AssignLayouts(k, {.warps = 64}).ToString(), Contains("a block of 64 warps"));
  CHECK(AssignLayouts(k, {.warps = 1}).ok());
  CHECK_THAT(AssignLayouts(k, {.warps = 1}).ToString(), Contains("has layouts already"));
}

TEST_CASE("divisors of indices") {
  Builder b("k");
  const Value n = b.AddParam("n", 0, 1024, 16);
  b.For(LoopKind::kPar, b.Int(0), n, 32, Tail::kMasked, {}, [&](Value i, const Values&) {
    b.Add(b.Mul(i, b.Int(3)), b.Int(48));
    b.Binary(OpCode::kMin, n, i);
    b.Rem(i, b.Int(24));
    b.Div(i, b.Int(2));
    b.Sub(n, b.Int(4));
    return Values{};
  });
  const Kernel k = b.Take();
  const Multiples m(k);
  const Op& stage = k.top.ops.back();
  CHECK(m.Of(n) == 16);
  CHECK(m.Of(stage.regions[0].args[0]) == 32);
  std::vector<int64_t> found;
  for (const Op& op : stage.regions[0].ops) found.push_back(m.Of(op.results[0]));
  CHECK(found == std::vector<int64_t>{96, 48, 16, 8, 1, 4});
  for (const Op& op : k.top.ops) {
    if (op.code == OpCode::kConst && op.int_value == 0) CHECK(m.Of(op.results[0]) == 0);
  }
}

}  // namespace
}  // namespace sinter::kernel
