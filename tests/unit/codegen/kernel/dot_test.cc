// Matrix products and asynchronous stores in the kernel IR.
#include <array>
#include <catch2/catch.hpp>

#include "base/status.h"
#include "codegen/kernel/assign_layouts.h"
#include "codegen/kernel/fragments.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "sinter/float_types.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

std::string Text(const char* elem, const char* sum, int m, int k, int n) {
  return Format(
      "kernel k lanes 32 {{\n  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %m:s64 = const {1}\n"
      "  %k:s64 = const {2}\n  %n:s64 = const {3}\n"
      "  buffer @a {0} argument [%m, %k] [%k, %c1]\n  buffer @b {0} argument [%k, %n] [%n, %c1]\n"
      "  buffer @o {4} argument [%m, %n] [%n, %c1] written\n"
      "  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n"
      "    %x:{0}[{1}x{2}] = load @a[%c0+r, %c0+c]\n    %y:{0}[{2}x{3}] = load @b[%c0+r, %c0+c]\n"
      "    %z:{4}[{1}x{3}] = load @o[%c0+r, %c0+c]\n    %s:{4}[{1}x{3}] = dot %x, %y, %z\n"
      "    store %s, @o[%c0+r, %c0+c]\n    yield\n  }}\n}}\n",
      elem, m, k, n, sum);
}

TEST_CASE("dot multiplies matrices and adds them up") {
  auto k = Parse(Text("s8", "s32", 2, 3, 2));
  REQUIRE(k.ok());
  REQUIRE(Verify(*k).ok());
  std::array<int8_t, 6> a{1, 2, 3, -128, -128, 127}, b{1, -1, 2, 0, 127, -128};
  std::array<int32_t, 4> o{1000, 0, 0, 5};
  void* buffers[] = {a.data(), b.data(), o.data()};
  REQUIRE(Interpret(*k, buffers, {}).ok());
  CHECK(o == std::array<int32_t, 4>{1386, -385, 15745, -16123});
}

TEST_CASE("f32 is rounded to TF32, ties away from zero") {
  auto k = Parse(Text("f32", "f32", 1, 1, 1));
  REQUIRE(k.ok());
  auto product = [&](float x) {
    float y = 1, o = 0;
    void* buffers[] = {&x, &y, &o};
    REQUIRE(Interpret(*k, buffers, {}).ok());
    return o;
  };
  CHECK(product(1 + 0x1p-10F) == 1 + 0x1p-10F);
  CHECK(product(1 + 0x1p-11F) == 1 + 0x1p-10F);
  CHECK(product(-1 - 0x1p-11F) == -1 - 0x1p-10F);
  CHECK(product(1 + 0x1.fep-12F) == 1);
}

TEST_CASE("text and verification of dot") {
  for (const char* elem : {"f16", "bf16", "f32", "s8"}) {
    const std::string text = Text(elem, elem == std::string("s8") ? "s32" : "f32", 32, 32, 16);
    auto k = Parse(text);
    REQUIRE(k.ok());
    CHECK(Verify(*k).ok());
    auto again = Parse(Print(*k));
    REQUIRE(again.ok());
    CHECK(Print(*again) == Print(*k));
    REQUIRE(AssignLayouts(*k, {.warps = 2}).ok());
    CHECK(Verify(*k).ok());
  }
  auto error = [](const std::string& text) {
    auto k = Parse(text);
    REQUIRE(k.ok());
    return Verify(*k).ToString();
  };
  CHECK_THAT(error(Text("f64", "f64", 2, 2, 2)), Contains("is not defined for f64"));
  CHECK_THAT(error(Text("s8", "f32", 2, 2, 2)), Contains("the sum is of another type"));
  auto k = Parse(Text("f16", "f32", 24, 16, 16));
  REQUIRE(k.ok());
  CHECK_THAT(AssignLayouts(*k, {.warps = 1}).ToString(), Contains("has no fragments"));
}

TEST_CASE("text and verification of dotadd and pack") {
  auto text = [](std::string_view word, std::string_view a, std::string_view sum) {
    return Format(
        "kernel k lanes 16 {{\n  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c8:s64 = const 8\n"
        "  %c32:s64 = const 32\n  buffer @a {1} argument [%c32] [%c1]\n"
        "  buffer @o {2} argument [%c8] [%c1] written\n  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n"
        "    %x:{1}[1x32] = load @a[%c0+c]\n    %w:{0}[1x8] = pack %x\n"
        "    %y:u32[1x8] = bitcast %w\n    %z:{2}[1x8] = load @o[%c0+c]\n"
        "    %s:{2}[1x8] = dotadd %y, %w, %z\n    store %s, @o[%c0+c]\n    yield\n  }}\n}}\n",
        word, a, sum);
  };
  auto k = Parse(text("s32", "s8", "s32"));
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  REQUIRE(Verify(*k).ok());
  CHECK(Print(*Parse(Print(*k))) == Print(*k));
  std::array<int8_t, 32> a{1, 2, 3, 4, -1, 0, 0, 0};
  std::array<int32_t, 8> o{5, 6, 7};
  void* buffers[] = {a.data(), o.data()};
  REQUIRE(Interpret(*k, buffers, {}).ok());
  CHECK(o == std::array<int32_t, 8>{35, 6 - 255, 7});
  auto error = [](const std::string& t) {
    auto parsed = Parse(t);
    REQUIRE(parsed.ok());
    return Verify(*parsed).ToString();
  };
  CHECK_THAT(error(text("u32", "s8", "s32")), Contains("the words are not of u32 and s32"));
  CHECK_THAT(error(text("s32", "s8", "f32")), Contains("the words are not of u32 and u32"));
  CHECK_THAT(error(text("u32", "s8", "f64")), Contains("is not defined for f64"));
  CHECK_THAT(error(text("u32", "bf16", "f32")), Contains("is not the words of"));
  CHECK_THAT(error(text("u32", "f32", "f32")), Contains("is not defined for f32"));
  CHECK_THAT(error(text("s64", "s8", "s32")), Contains("is not defined for s64"));
}

TEST_CASE("dot of words") {
  auto text = [](const char* left, const char* right, const char* sum) {
    return Format(
        "kernel k lanes 16 {{\n  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c2:s64 = const 2\n"
        "  %c3:s64 = const 3\n"
        "  buffer @a {0} argument [%c1, %c2] [%c2, %c1]\n"
        "  buffer @b {1} argument [%c2, %c3] [%c3, %c1]\n"
        "  buffer @o {2} argument [%c1, %c3] [%c3, %c1] written\n"
        "  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n"
        "    %x:{0}[1x2] = load @a[%c0+r, %c0+c]\n    %y:{1}[2x3] = load @b[%c0+r, %c0+c]\n"
        "    %z:{2}[1x3] = load @o[%c0+r, %c0+c]\n    %s:{2}[1x3] = dot %x, %y, %z\n"
        "    store %s, @o[%c0+r, %c0+c]\n    yield\n  }}\n}}\n",
        left, right, sum);
  };
  auto run = [&](const std::string& program, std::array<uint32_t, 2> a, std::array<uint32_t, 6> b,
                 auto& o) {
    auto k = Parse(program);
    REQUIRE(k.ok());
    REQUIRE(Verify(*k).ok());
    void* buffers[] = {a.data(), b.data(), o.data()};
    REQUIRE(Interpret(*k, buffers, {}).ok());
  };
  // Bytes 255 or -1, 2, 0, 0 and 0, 0, 0, 3 by those that are 1, 254 or -2, 0, 128 or -128.
  const std::array<uint32_t, 2> a{0x000002ffU, 0x03000000U};
  const std::array<uint32_t, 6> b{1, 0xfe, 0, 0, 0, 0x80000000U};
  auto sums = [&](const char* left, const char* right) {
    std::array<int32_t, 3> o{10, 0, 0};
    run(text(left, right, "s32"), a, b, o);
    return o;
  };
  CHECK(sums("u32", "u32") == std::array<int32_t, 3>{265, 255 * 254, 384});
  CHECK(sums("s32", "u32") == std::array<int32_t, 3>{9, -254, 384});
  CHECK(sums("u32", "s32") == std::array<int32_t, 3>{265, -510, -384});
  CHECK(sums("s32", "s32") == std::array<int32_t, 3>{9, 2, -384});
  // Pairs of BF16: 2^-126 and 1, by 1 and 2^-126, then what the upper halves take away again; a
  // half of the least normal number, which counts as zero.
  const std::array<uint32_t, 2> pairs{0x3f800080U, 0x3f800000U};
  std::array<float, 3> o{1, 0, -0.0F};
  run(text("u32", "u32", "f32"), pairs, {0x00803f80U, 0x3f800000U, 0x00400000U, 0x80800000U, 0, 0},
      o);
  CHECK(o == std::array<float, 3>{1, 1, 0});
  auto error = [](const std::string& program) {
    auto k = Parse(program);
    REQUIRE(k.ok());
    return Verify(*k).ToString();
  };
  CHECK_THAT(error(text("s32", "u32", "f32")), Contains("the sum is of another type"));
  CHECK_THAT(error(text("u32", "f32", "f32")), Contains("is not defined for f32"));
}

TEST_CASE("fragments are those of mma.sync") {
  // m16n8k16 of one warp: the figures of the PTX ISA.
  const auto f = FragmentsOf(16, 8, 16, ElementType::F16, 1);
  REQUIRE(f.has_value());
  Kernel k;
  k.warps = 1;
  const Type a{ElementType::F16, 16, 16, AddLayout(k, f->left)},
      b{ElementType::F16, 16, 8, AddLayout(k, f->right)},
      c{ElementType::F32, 16, 8, AddLayout(k, f->sum)};
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 16; ++col) {
      const Place p = PlaceOf(k, a, row, col);
      CHECK(p.lane == row % 8 * 4 + col % 8 / 2);
      CHECK(p.reg == row / 8 * 4 + col / 8 * 2 + col % 2);
    }
    for (int col = 0; col < 8; ++col) {
      const Place p = PlaceOf(k, b, row, col), q = PlaceOf(k, c, row, col);
      CHECK(p.lane == col * 4 + row % 8 / 2);
      CHECK(p.reg == row / 8 * 2 + row % 2);
      CHECK(q.lane == row % 8 * 4 + col / 2);
      CHECK(q.reg == row / 8 * 2 + col % 2);
    }
  }
  // Warps share a square.
  const auto square = FragmentsOf(128, 128, 16, ElementType::BF16, 4);
  REQUIRE(square.has_value());
  CHECK(square->sum.axes[0][0] == Factor{HardwareDim::kWarp, 2, 2});
  CHECK(square->sum.axes[1][0] == Factor{HardwareDim::kWarp, 2, 1});
  CHECK_FALSE(FragmentsOf(128, 128, 8, ElementType::BF16, 4).has_value());
}

TEST_CASE("an asynchronous store is seen behind its wait") {
  auto run = [](std::string_view waits) {
    auto k = Parse(Format(
        "kernel k lanes 32 {{\n  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c4:s64 = const 4\n"
        "  %seven:s32 = const 7\n  buffer @t s32 task [%c4] [%c1] written\n"
        "  buffer @o s32 argument [%c4] [%c1] written\n"
        "  for.par.exact 1 %c0, %c1 {{ (%i:s64)\n    %x:s32[1x4] = splat %seven\n"
        "    store.async %x, @t[%c0+c]\n{}    %y:s32[1x4] = load @t[%c0+c]\n"
        "    store %y, @o[%c0+c]\n    yield\n  }}\n}}\n",
        waits));
    INFO(k.status().ToString());
    REQUIRE(k.ok());
    CHECK(Print(*Parse(Print(*k))) == Print(*k));
    CHECK(Verify(*k).ok());
    std::array<int32_t, 4> o{};
    void* buffers[] = {o.data()};
    REQUIRE(Interpret(*k, buffers, {}).ok());
    return o[3] == 7;
  };
  CHECK(run("    commit\n    wait 0\n"));
  CHECK(run("    commit\n    commit\n    wait 1\n"));
  CHECK_FALSE(run(""));
  CHECK_FALSE(run("    commit\n"));
  CHECK_FALSE(run("    wait 0\n"));
  CHECK_FALSE(run("    commit\n    wait 1\n"));
}

}  // namespace
}  // namespace sinter::kernel
