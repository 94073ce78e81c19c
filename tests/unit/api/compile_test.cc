// From HLO text through the library's own compiler to results.
#include "ir/text/parser.h"  // before what names ops shortly

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "absl/algorithm/container.h"
#include "api/client_core.h"
#include "api/compiler.h"
#include "base/status.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

constexpr std::string_view kAxpy = R"(
HloModule axpy

ENTRY main {
  a = f32[] parameter(0)
  x = f32[16] parameter(1)
  y = f32[16] parameter(2)
  b = f32[16] broadcast(a), dimensions={}
  m = f32[16] multiply(b, x)
  ROOT r = f32[16] add(m, y)
}
)";

// With (a, b, c) in one module, by the options.
Literal EvaluateText(const char* text, const CompileOptions& options,
                     std::vector<Literal> arguments) {
  auto client = *Client::Cpu({});
  auto module = ParseHloText(text, "t");
  REQUIRE(module.ok());
  auto e = client->core()->CompileModule(**module, options);
  REQUIRE(e.ok());
  auto r = e->Evaluate(arguments);
  REQUIRE(r.ok());
  return *r;
}

TEST_CASE("Contraction rounds a product and its sum once, if it is allowed") {
  const char* text = R"(HloModule m
ENTRY e {
  a = f32[3] parameter(0)
  c = f32[3] parameter(1)
  p = f32[3] multiply(a, a)
  q = f32[3] multiply(a, a)
  r = f32[3] multiply(a, a)
  sum = f32[3] add(p, c)
  less = f32[3] subtract(q, c)
  rest = f32[3] subtract(c, r)
  ROOT t = (f32[3], f32[3], f32[3]) tuple(sum, less, rest)
})";
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which the product alone drops the last term.
  const float x = 1 + 0x1p-12f, y = 1 + 0x1p-11f;
  auto a = Literal::R1<float>({x, x, x}), c = Literal::R1<float>({-y, -y, -y});
  auto d = Literal::R1<float>({y, y, y});
  CompileOptions contract;
  contract.disabled_passes = {"common-subexpressions"};
  CHECK(EvaluateText(text, contract, {a, c}).tuple()[0].data<float>()[0] == 0);
  CHECK(EvaluateText(text, contract, {a, d}).tuple()[1].data<float>()[1] == 0);
  contract.allow_contraction = true;
  CHECK(EvaluateText(text, contract, {a, c}).tuple()[0].data<float>()[0] == 0x1p-24f);
  CHECK(EvaluateText(text, contract, {a, d}).tuple()[1].data<float>()[1] == 0x1p-24f);
  CHECK(EvaluateText(text, contract, {a, d}).tuple()[2].data<float>()[2] == -0x1p-24f);
}

TEST_CASE("Excess precision keeps f32 between operations of bf16, if it is allowed") {
  const char* text = R"(HloModule m
ENTRY e {
  a = bf16[2] parameter(0)
  b = bf16[2] parameter(1)
  s = bf16[2] add(a, b)
  ROOT d = bf16[2] subtract(s, a)
})";
  auto number = [](float x) { return static_cast<bfloat16>(x); };
  auto a = Literal::R1<bfloat16>({number(256), number(256)});
  auto b = Literal::R1<bfloat16>({number(0.5f), number(0.5f)});
  CompileOptions options;
  CHECK(EvaluateText(text, options, {a, b}).GetAsDouble(1) == 0);
  options.allow_excess_precision = true;
  CHECK(EvaluateText(text, options, {a, b}).GetAsDouble(1) == 0.5);
}

TEST_CASE("a module compiles, is found again, and donates") {
  auto client = MakeClient(2);
  auto module = ParseHloText(kAxpy, "axpy.hlo");
  REQUIRE(module.ok());
  auto e = client->core()->CompileModule(**module, {});
  REQUIRE(e.ok());
  Literal x(Shape(ElementType::F32, {16})), expected = x;
  for (size_t i = 0; i < 16; ++i) {
    x.data<float>()[i] = static_cast<float>(i);
    expected.data<float>()[i] = 3 * static_cast<float>(i);
  }
  REQUIRE(*e->Evaluate({Literal::R0<float>(2), x, x}) == expected);
  REQUIRE(client->core()->CompileModule(**module, {}).ok());
  REQUIRE(client->cache_stats().misses == 1);
  REQUIRE(client->cache_stats().hits == 1);

  CompileOptions donating;
  donating.donated_parameters = {2};
  auto in_place = client->core()->CompileModule(**module, donating);
  REQUIRE(in_place.ok());
  Buffer a = *client->BufferFromLiteral(Literal::R0<float>(2)), y = *client->BufferFromLiteral(x);
  Buffer z = *client->BufferFromLiteral(x);
  auto r = in_place->Execute({a, z, y});
  REQUIRE(r.ok());
  REQUIRE(*(*r)[0].ToLiteral() == expected);
  REQUIRE(y.IsDeleted());
  REQUIRE(!z.IsDeleted());
}

// A loop that turns an array around, so that its state and the next exchange storage, and windows
// written one after another, all of it in the storage of the result, or of the argument.
TEST_CASE("what a result is computed of in place is in its storage") {
  const char* text = R"(HloModule m
cond {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT r = pred[] compare(i, zero), direction=GT
}
body {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[1000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] subtract(i, one)
  y = f32[1000] reverse(x), dimensions={0}
  ROOT r = (s32[], f32[1000]) tuple(j, y)
}
ENTRY e {
  n = s32[] parameter(0)
  x = f32[1000] parameter(1)
  u = f32[2] parameter(2)
  a = f32[1000] dynamic-update-slice(x, u, n)
  s = (s32[], f32[1000]) tuple(n, a)
  w = (s32[], f32[1000]) while(s), condition=cond, body=body
  b = f32[1000] get-tuple-element(w), index=1
  five = s32[] constant(5)
  v = f32[2] dynamic-slice(b, five), dynamic_slice_sizes={2}
  twice = f32[2] add(v, v)
  c = f32[1000] dynamic-update-slice(b, twice, five)
  last = f32[2] dynamic-slice(c, n), dynamic_slice_sizes={2}
  d = f32[1000] dynamic-update-slice(c, last, five)
  ROOT r = (f32[1000]) tuple(d)
})";
  auto client = MakeClient(2);
  auto module = ParseHloText(text, "t");
  REQUIRE(module.ok());
  CompileOptions options, donating;
  donating.donated_parameters = {1};
  auto e = client->core()->CompileModule(**module, options);
  auto in_place = client->core()->CompileModule(**module, donating);
  REQUIRE(e.ok());
  REQUIRE(in_place.ok());
  Literal x(F32Shape({1000})), u(F32Shape({2}));
  for (size_t i = 0; i < 1000; ++i) x.data<float>()[i] = static_cast<float>(i);
  u.data<float>()[0] = -1, u.data<float>()[1] = -2;
  for (int32_t n : {0, 1, 2, 3}) {
    std::vector<float> expected(x.data<float>().begin(), x.data<float>().end());
    const auto at = static_cast<ptrdiff_t>(n);
    expected[static_cast<size_t>(at)] = -1, expected[static_cast<size_t>(at) + 1] = -2;
    if (n % 2 == 1) std::reverse(expected.begin(), expected.end());
    expected[5] *= 2, expected[6] *= 2;
    const std::vector<float> last(expected.begin() + at, expected.begin() + at + 2);
    expected[5] = last[0], expected[6] = last[1];
    for (const bool donates : {false, true}) {
      Buffer number = *client->BufferFromLiteral(Literal::R0(n)),
             array = *client->BufferFromLiteral(x), window = *client->BufferFromLiteral(u);
      auto r = (donates ? *in_place : *e).Execute({number, array, window});
      REQUIRE(r.ok());
      const Literal result = *(*r)[0].ToLiteral();
      CHECK(absl::c_equal(expected, result.data<float>()));
      CHECK(array.IsDeleted() == donates);
      if (!donates) CHECK(*array.ToLiteral() == x);
    }
  }
}

// A wave on a torus of 1000 x 1000, whose turns are known or not: of those that are, several run at
// a time where the arrays are larger than the caches.
TEST_CASE("turns that run together give what they give one by one") {
  auto text = [](bool is_known) {
    const std::string last = is_known ? "constant(13)" : "get-tuple-element(s), index=3";
    return Format(R"(HloModule m
cond {{
  s = (s32[], f32[1000,1000], f32[1000,1000], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] {}
  ROOT r = pred[] compare(i, n), direction=LT
}}
body {{
  s = (s32[], f32[1000,1000], f32[1000,1000], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  u = f32[1000,1000] get-tuple-element(s), index=1
  v = f32[1000,1000] get-tuple-element(s), index=2
  n = s32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  last = f32[1,1000] slice(u), slice={{[999:1000], [0:1000]}}
  rest = f32[999,1000] slice(u), slice={{[0:999], [0:1000]}}
  up = f32[1000,1000] concatenate(last, rest), dimensions={{0}}
  first = f32[1,1000] slice(u), slice={{[0:1], [0:1000]}}
  others = f32[999,1000] slice(u), slice={{[1:1000], [0:1000]}}
  down = f32[1000,1000] concatenate(others, first), dimensions={{0}}
  both = f32[1000,1000] add(up, down)
  half = f32[] constant(0.5)
  halves = f32[1000,1000] broadcast(half), dimensions={{}}
  mean = f32[1000,1000] multiply(both, halves)
  twice = f32[1000,1000] add(mean, u)
  w = f32[1000,1000] subtract(twice, v)
  ROOT r = (s32[], f32[1000,1000], f32[1000,1000], s32[]) tuple(j, w, u, n)
}}
ENTRY e {{
  x = f32[1000,1000] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  y = f32[1000,1000] negate(x)
  s = (s32[], f32[1000,1000], f32[1000,1000], s32[]) tuple(zero, x, y, n)
  w = (s32[], f32[1000,1000], f32[1000,1000], s32[]) while(s), condition=cond, body=body
  ROOT r = f32[1000,1000] get-tuple-element(w), index=1
}})",
                  last);
  };
  Literal x(F32Shape({1000, 1000}));
  for (size_t i = 0; i < 1'000'000; ++i)
    x.data<float>()[i] = static_cast<float>(i * 2654435761U % 1000);
  const std::vector<Literal> arguments{x, Literal::R0<int32_t>(13)};
  for (const int threads : {1, 2}) {
    auto client = MakeClient(threads);
    auto known = ParseHloText(text(true), "t"), unknown = ParseHloText(text(false), "t");
    REQUIRE(known.ok());
    REQUIRE(unknown.ok());
    auto together = client->core()->CompileModule(**known, {});
    auto one_by_one = client->core()->CompileModule(**unknown, {});
    REQUIRE(together.ok());
    REQUIRE(one_by_one.ok());
    const Literal expected = *one_by_one->Evaluate(arguments);
    CHECK(*together->Evaluate(arguments) == expected);
    auto loaded = client->LoadSerialized(*together->Serialize());
    REQUIRE(loaded.ok());
    CHECK(*loaded->Evaluate(arguments) == expected);
    CHECK(*loaded->Serialize() == *together->Serialize());
  }
}

TEST_CASE("options of compilation that are wrong are errors") {
  auto client = MakeClient(2);
  auto module = ParseHloText(kAxpy, "axpy.hlo");
  CompileOptions options;
  options.isa = "z80";
  REQUIRE(!client->core()->CompileModule(**module, options).ok());
  options.isa = "";
  options.donated_parameters = {3};
  auto e = client->core()->CompileModule(**module, options);
  REQUIRE(e.status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(e.status()) == "donated_parameters: 3 of 3 parameters");
}

TEST_CASE("dumps are written where asked") {
  auto client = MakeClient(2);
  auto module = ParseHloText(kAxpy, "axpy.hlo");
  auto folder = std::filesystem::temp_directory_path() / "sinter_dump_test";
  std::filesystem::remove_all(folder);
  CompileOptions options;
  options.dump_directory = folder.string();
  REQUIRE(client->core()->CompileModule(**module, options).ok());
  REQUIRE(!std::filesystem::is_empty(folder / "axpy"));
  REQUIRE(std::filesystem::exists(folder / "axpy" / "80-times.txt"));
  std::filesystem::remove_all(folder);
  options.dump_directory = "/proc/none";
  options.flush_denormals = true;
  REQUIRE(client->core()->CompileModule(**module, options).status().code() ==
          absl::StatusCode::kUnavailable);
}

TEST_CASE("denormals count as zeros where that is asked for, on all threads") {
  auto client = MakeClient(2);
  for (int64_t n : {8, 1 << 20}) {
    auto module = *ParseHloText(Format(R"(
HloModule halves

ENTRY main {{
  x = f32[{0}] parameter(0)
  h = f32[] constant(0.5)
  b = f32[{0}] broadcast(h), dimensions={{}}
  ROOT y = f32[{0}] multiply(x, b)
}}
)",
                                       n),
                                "halves.hlo");
    Literal x(Shape(ElementType::F32, {n}));
    for (size_t i = 0; i < static_cast<size_t>(n); ++i)
      x.data<float>()[i] = i % 2 == 0 ? 1.5e-38f : 1e-39f;  // a result and an argument
    for (bool flushes : {false, true}) {
      CompileOptions options;
      options.flush_denormals = flushes;
      auto e = client->core()->CompileModule(*module, options);
      REQUIRE(e.ok());
      const Literal y = *e->Evaluate({x});
      bool right = true;
      for (size_t i = 0; i < static_cast<size_t>(n); ++i)
        right &= y.data<float>()[i] == (flushes ? 0 : x.data<float>()[i] / 2);
      CHECK(right);
    }
  }
}

TEST_CASE("donations go to the first result of their shape") {
  auto module = *ParseHloText(R"(
HloModule two

ENTRY main {
  x = f32[4] parameter(0)
  p = (f32[4], s32[2]) parameter(1)
  y = f32[4] get-tuple-element(p), index=0
  i = s32[2] get-tuple-element(p), index=1
  a = f32[4] add(x, y)
  b = f32[4] subtract(x, y)
  ROOT r = (f32[4], f32[4]) tuple(a, b)
}
)",
                              "two.hlo");
  REQUIRE(api::AddDonations(*module, {0, 1, 2}).ok());
  REQUIRE(module->aliases().size() == 2);
  REQUIRE(module->aliases()[0].output_index == Dims{0});
  REQUIRE(module->aliases()[0].parameter == 0);
  REQUIRE(module->aliases()[1].output_index == Dims{1});
  REQUIRE(module->aliases()[1].parameter == 1);
  REQUIRE(module->aliases()[1].parameter_index == Dims{0});
}

}  // namespace
}  // namespace sinter
