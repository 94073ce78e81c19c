#include "codegen/kernel/layout.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/hash.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

Factor Reg(int n) { return {HardwareDim::kReg, n, 1}; }
Factor Lane(int n, int stride = 1) { return {HardwareDim::kLane, n, stride}; }
Factor Warp(int n, int stride = 1) { return {HardwareDim::kWarp, n, stride}; }

constexpr std::string_view kLayoutHead =
    "  layout #1 rows [reg 2] cols [warp 4, lane 32, reg 4]\n"
    "  layout #2 rows [reg 2] cols [reg 2, warp 4, lane 32, reg 2]\n"
    "  layout #3 rows [warp 2] cols [lane 32]\n"
    "  layout #4 rows [reg 2] cols [warp 4, lane 32, reg 8]\n"
    "  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c2:s64 = const 2\n"
    "  %c512:s64 = const 512\n  %zero:f32 = const 0\n"
    "  buffer @x f32 argument [%c2, %c512] [%c512, %c1]\n"
    "  buffer @o f32 argument [%c2, %c512] [%c512, %c1] written\n";

std::string VerifiedLayout(std::string_view body, std::string_view warps = " warps 4") {
  std::string text = Format(
      "kernel k lanes 16{} {{\n{}  for.par.exact 2 %c0, %c2 {{ (%i:s64)\n    {}\n    yield\n  "
      "}}\n}}\n",
      warps, kLayoutHead, body);
  absl::StatusOr<Kernel> k = Parse(text);
  return k.ok() ? Verify(*k).ToString() : k.status().ToString();
}

TEST_CASE("a tile and what broadcasts to it share a layout that covers it") {
  CHECK(VerifiedLayout("%a:f32[2x512 #1] = load @x[%i+r, %c0+c]\n    store %a, @o[%i+r, %c0+c]") ==
        "OK");
  CHECK(VerifiedLayout("%a:f32[1x512 #1] = splat %zero\n %b:f32[2x1 #1] = splat %zero\n"
                       " %c:f32[2x512 #1] = add %a, %b\n %d:f32[2x512 #1] = mul %c, %zero") ==
        "OK");
  CHECK_THAT(VerifiedLayout("%a:f32[2x512 #2] = splat %zero\n %b:f32[2x512 #1] = add %a, %a"),
             Contains("does not broadcast"));
  CHECK_THAT(VerifiedLayout("%a:f32[2x16 #1] = splat %zero"),
             Contains("layout 1 covers 512 elements of an axis of 16"));
  CHECK_THAT(VerifiedLayout("%a:f32[2x512] = splat %zero"), Contains("without a layout"));
  CHECK_THAT(VerifiedLayout("%a:f32[2x512 #9] = splat %zero"), Contains("no layout 9"));
  CHECK_THAT(VerifiedLayout("%a:f32[1x1 #1] = splat %zero"), Contains("without a layout"));
  CHECK_THAT(VerifiedLayout("%a:f32[2x512 #1] = splat %zero", ""), Contains("without a layout"));
}

TEST_CASE("index tiles, masks and what is stored agree") {
  CHECK(VerifiedLayout("%q:s64[1x512 #1] = iota.cols\n %m:pred[1x512 #1] = cmp.lt %q, %c2\n"
                       " %a:f32[2x512 #1] = load @x[%i+r, %q] mask %m else %zero") == "OK");
  CHECK_THAT(VerifiedLayout("%q:s64[1x512 #2] = iota.cols\n %a:f32[2x512 #1] = load @x[%i+r, %q]"),
             Contains("does not broadcast"));
  CHECK_THAT(
      VerifiedLayout("%m:pred[1x512 #2] = mask.cols %i, %c2\n %a:f32[2x512 #1] = splat %zero\n"
                     " store %a, @o[%i+r, %c0+c] mask %m"),
      Contains("does not broadcast"));
}

TEST_CASE("layouts change by relayout only") {
  CHECK(VerifiedLayout("%a:f32[2x512 #1] = splat %zero\n %b:f32[2x512 #2] = relayout %a\n sync") ==
        "OK");
  CHECK_THAT(VerifiedLayout("%a:f32[2x512 #1] = splat %zero\n %b:f32[1x512 #1] = relayout %a"),
             Contains("is another tile"));
  CHECK_THAT(VerifiedLayout("%a:f32[2x512 #1] = splat %zero\n %b:s32[2x512 #1] = relayout %a"),
             Contains("is another tile"));
  CHECK_THAT(VerifiedLayout("sync %i"), Contains("has 1 operands, not 0"));
}

TEST_CASE("halves are in the registers of the whole") {
  CHECK(VerifiedLayout("%a:f32[2x512 #1] = splat %zero\n %b:f32[2x1024 #4] = interleave %a, %a\n"
                       " %c:f32[2x512 #1], %d:f32[2x512 #1] = deinterleave %b") == "OK");
  CHECK_THAT(
      VerifiedLayout("%a:f32[2x512 #2] = splat %zero\n %b:f32[2x1024 #4] = interleave %a, %a"),
      Contains("columns of both"));
  CHECK_THAT(VerifiedLayout("%b:f32[2x1024 #4] = splat %zero\n"
                            " %c:f32[2x512 #1], %d:f32[2x512 #2] = deinterleave %b"),
             Contains("half the columns"));
}

TEST_CASE("carries fit a thread's registers") {
  Builder b("carries");
  b.kernel().warps = 32;
  Layout row;
  row.axes[1] = {Reg(32), Warp(32), Lane(32)};
  const int layout = AddLayout(b.kernel(), row);
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Value x = b.Splat(b.Const(ElementType::F32, 0), {ElementType::F32, 1, 32768, layout});
    b.For(LoopKind::kSeq, b.Int(0), b.Int(4), 1, Tail::kExact, {x},
          [&](Value, const Values& c) { return c; });
    return Values{};
  });
  CHECK_THAT(Verify(b.kernel()).ToString(), Contains("the carries need 32 registers of 24"));
}

TEST_CASE("layouts fit the block") {
  auto error = [](std::vector<Factor> rows, std::vector<Factor> cols, int warps = 4) {
    return LayoutError(Layout{{std::move(rows), std::move(cols)}}, warps);
  };
  CHECK(error({Reg(3), Lane(8, 4)}, {Warp(4), Lane(4), Reg(2)}) == "");
  CHECK(error({}, {Lane(16, 4)}) == "exceeds the lanes of a warp");
  CHECK(error({}, {Lane(64)}) == "exceeds the lanes of a warp");
  CHECK(error({}, {Warp(8)}) == "exceeds the warps of the block");
  CHECK(error({}, {Warp(2, 4)}) == "exceeds the warps of the block");
  CHECK(error({}, {Warp(2)}, 1) == "exceeds the warps of the block");
  CHECK(error({Lane(8)}, {Lane(4, 4)}) == "two factors share lanes");
  CHECK(error({Warp(2)}, {Warp(4)}) == "two factors share warps");
  CHECK(error({}, {Lane(24)}) == "a factor of lanes or warps is no power of two");
  CHECK(error({}, {Lane(4, 3)}) == "a factor of lanes or warps is no power of two");
  CHECK(error({}, {Reg(0)}) == "a factor is not positive");
  CHECK(error({}, {{HardwareDim::kReg, 2, 2}}) == "registers have stride 1");
  Builder b("too many");
  b.kernel().warps = 33;
  CHECK_THAT(Verify(b.kernel()).ToString(), Contains("a block of 33 warps"));
}

TEST_CASE("canonical layouts merge what counts on") {
  Layout l{{{Lane(2, 4), Lane(4), Reg(1), Warp(1)}, {Reg(2), Reg(3), Warp(2, 2), Warp(2)}}};
  CHECK(Canonical(l) == Layout{{{Lane(8)}, {Reg(6), Warp(4)}}});
  Layout apart{{{Lane(2, 8), Lane(4)}, {}}};
  CHECK(Canonical(apart) == apart);
  Kernel k;
  CHECK(AddLayout(k, l) == 1);
  CHECK(AddLayout(k, apart) == 2);
  CHECK(AddLayout(k, Canonical(l)) == 1);
}

// Every element has one place, every register of copy 0 one element, and the registers are numbered
// by rows, then columns.
TEST_CASE("layouts are bijections") {
  Kernel k;
  k.warps = 4;
  const Layout layouts[] = {
      {{{Reg(2), Lane(8, 4)}, {Warp(4), Lane(4), Reg(2)}}},
      {{{Warp(2, 2), Reg(8)}, {Reg(2), Warp(2), Lane(8)}}},
      {{{}, {Reg(2), Warp(4), Lane(32), Reg(1)}}},
      {{{Lane(2, 16), Lane(2)}, {Reg(3)}}},
  };
  for (const Layout& l : layouts) {
    Type t{ElementType::F32};
    for (const Factor& f : l.axes[0]) t.rows *= f.extent;
    for (const Factor& f : l.axes[1]) t.cols *= f.extent;
    t.layout = AddLayout(k, l);
    const ThreadBits bits = NamedBits(LayoutOf(k, t));
    std::set<std::tuple<int, int, int>> seen;
    for (int r = 0; r < t.rows; ++r) {
      for (int c = 0; c < t.cols; ++c) {
        const Place p = PlaceOf(k, t, r, c);
        CHECK((p.lane & ~bits.lanes) == 0);
        CHECK((p.warp & ~bits.warps) == 0);
        CHECK(p.reg < HeldElements(k, t));
        seen.insert({p.reg, p.lane, p.warp});
      }
    }
    CHECK(seen.size() == static_cast<size_t>(t.rows) * static_cast<size_t>(t.cols));
  }
  // Of layout 1: row 9 is register row 1, lanes 4..7; column 13 is warp 1, lane 2, register 1.
  CHECK(PlaceOf(k, {ElementType::F32, 16, 32, 1}, 9, 13) == Place{3, 6, 1});
  // A row of that tile drops the rows' factors.
  CHECK(PlaceOf(k, {ElementType::F32, 1, 32, 1}, 0, 13) == Place{1, 2, 1});
}

TEST_CASE("layouts survive text, enter the hash and change no result") {
  auto make = [](const std::vector<Factor>& to, int warps) {
    Builder b("layouts");
    b.kernel().warps = warps;
    const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{2, 64}),
              o = b.AddBuffer("o", ElementType::F32, std::vector<int64_t>{2, 64});
    const int first = AddLayout(b.kernel(), {{{Reg(2)}, {Lane(32), Reg(2)}}}),
              second = AddLayout(b.kernel(), {{{Reg(2)}, to}});
    b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      Value v = b.Load(x, {{i, 1, 0}, {b.Int(0), 0, 1}}, {ElementType::F32, 2, 64, first});
      b.Sync();
      b.Store(b.Relayout(v, second), o, {{i, 1, 0}, {b.Int(0), 0, 1}});
      return Values{};
    });
    return b.Take();
  };
  Kernel k = make({Reg(2), Lane(32)}, 2);
  CHECK(Verify(k).ToString() == "OK");
  auto read = Parse(Print(k));
  INFO(Print(k));
  REQUIRE(read.ok());
  CHECK(Print(*read) == Print(k));
  CHECK(Hash(*read) == Hash(k));
  CHECK(read->warps == 2);
  CHECK(Hash(make({Reg(2), Lane(32)}, 4)) != Hash(k));
  CHECK(Hash(make({Reg(4), Lane(16)}, 2)) != Hash(k));
  std::vector<float> in(128), out(128);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  void* buffers[] = {in.data(), out.data()};
  CHECK(Interpret(k, buffers, {}).ToString() == "OK");
  CHECK(out == in);
}

}  // namespace
}  // namespace sinter::kernel
