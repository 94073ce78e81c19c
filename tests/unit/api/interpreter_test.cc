// The interpreter as a client.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/jit.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

std::shared_ptr<Client> MakeInterpreter(CpuOptions options = {}) {
  if (options.threads == 0 && !options.inline_execution) options.threads = 1;
  auto client = Client::Interpreter(options);
  INFO(MessageOf(client.status()));
  REQUIRE(client.ok());
  return *client;
}

Executable Compile(Client& client, const std::string& text, const CompileOptions& options = {}) {
  auto c = LoadHlo(text, "t.hlo");
  INFO(MessageOf(c.status()));
  REQUIRE(c.ok());
  auto compiled = client.Compile(*c, options);
  INFO(MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  return *compiled;
}

TEST_CASE("Programs are evaluated, of arrays, tuples and packed elements") {
  auto client = MakeInterpreter();
  CHECK(client->platform() == "interpreter");
  Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  p = (f32[2], (s4[3], pred[])) parameter(0)
  x = f32[2] get-tuple-element(p), index=0
  q = (s4[3], pred[]) get-tuple-element(p), index=1
  a = s4[3] get-tuple-element(q), index=0
  n = f32[2] negate(x)
  m = s4[3] negate(a)
  ROOT t = ((s4[3], f32[2]), f32[0]) tuple((s4[3], f32[2]) tuple(m, n), f32[0] constant({}))
})");
  CHECK(f.name() == "f");
  CHECK(f.kernel_count() == 0);
  CHECK(f.flat_parameter_shapes().size() == 3);
  Literal a(Shape(ElementType::S4, {3}));
  a.data<int8_t>()[0] = -3;
  a.data<int8_t>()[2] = 7;
  auto result = f.Evaluate(
      {Literal::Tuple({Literal::R1<float>({1, -2}), Literal::Tuple({a, Literal::R0(true)})})});
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  CHECK(result->ToString() == "((s4[3], f32[2]), f32[0]) (({3, 0, -7}, {-1, 2}), {})");
}

TEST_CASE("Arguments are in the layouts that buffers have, results in the sizes they have") {
  auto client = MakeInterpreter();
  Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  x = f32[<=4,2] parameter(0)
  y = f32[<=4,2] reverse(x), dimensions={0}
  n = s32[] get-dimension-size(y), dimensions={0}
  ROOT t = (f32[<=4,2], s32[]) tuple(y, n)
})");
  for (int64_t n : {0, 1, 3, 4}) {
    Literal x(Shape(ElementType::F32, {n, 2})), y = x;
    for (int64_t i = 0; i < 2 * n; ++i) {
      x.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i);
      y.data<float>()[static_cast<size_t>(2 * (n - 1 - i / 2) + i % 2)] = static_cast<float>(i);
    }
    auto result = f.Evaluate({x});
    INFO(MessageOf(result.status()));
    REQUIRE(result.ok());
    CHECK(result->tuple()[0] == y);
    CHECK(result->tuple()[1].ToString() == Format("s32[] {}", n));
  }
}

TEST_CASE("Errors are those of the run, and leave the client as it was") {
  auto client = MakeInterpreter();
  Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="there_is_none"
})");
  auto result = f.Evaluate({Literal::R1<float>({1, 2})});
  CHECK(result.status().code() == absl::StatusCode::kUnimplemented);
  CHECK(MessageOf(result.status()).find("there_is_none") != std::string::npos);
  auto wrong = f.Evaluate({Literal::R1<float>({1, 2, 3})});
  CHECK(wrong.status().code() == absl::StatusCode::kInvalidArgument);
  Executable g = Compile(*client, "HloModule g\nENTRY e { ROOT x = f32[] parameter(0) }");
  CHECK(g.Evaluate({Literal::R0(3.0f)})->ToString() == "f32[] 3");
}

TEST_CASE("Checks in a program are assertions of its runs") {
  auto client = MakeInterpreter();
  Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  x = f32[2] parameter(0)
  one = f32[2] constant({1, 1})
  k = () custom-call(x, one), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT y = f32[2] add(x, x)
})");
  CHECK(f.Evaluate({Literal::R1<float>({1, 1})})->ToString() == "f32[2] {2, 2}");
  CHECK(f.Evaluate({Literal::R1<float>({1, 2})}).status().code() ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("Custom calls are those of the client's registry") {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry
              ->Register("twice", "Host",
                         [](const CustomCallFrame& frame) {
                           const auto* x = static_cast<const float*>(frame.operands[0].data);
                           static_cast<float*>(frame.results[0].data)[0] = 2 * x[0];
                           return absl::OkStatus();
                         })
              .ok());
  CpuOptions options;
  options.custom_calls = registry;
  auto client = MakeInterpreter(options);
  Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  x = f32[1] parameter(0)
  ROOT y = f32[1] custom-call(x), custom_call_target="twice"
})");
  auto result = f.Evaluate({Literal::R1<float>({4})});
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  CHECK(result->ToString() == "f32[1] {8}");
}

TEST_CASE("Buffers, donation, chains of asynchronous runs and transfers") {
  for (const bool on_caller : {false, true}) {
    CAPTURE(on_caller);
    CpuOptions options;
    options.inline_execution = on_caller;
    auto client = MakeInterpreter(options);
    CompileOptions donating;
    donating.donated_parameters = {0};
    Executable f = Compile(*client, R"(HloModule f
ENTRY e {
  x = f32[2] parameter(0)
  token = token[] after-all()
  i = (f32[2], token[]) infeed(token)
  y = f32[2] get-tuple-element(i), index=0
  t = token[] get-tuple-element(i), index=1
  z = f32[2] add(x, y)
  o = token[] outfeed(z, t)
  ROOT r = (f32[2]) tuple(z)
})",
                           donating);
    REQUIRE(client->TransferToInfeed(Literal::R1<float>({10, 20})).ok());
    REQUIRE(client->TransferToInfeed(Literal::R1<float>({100, 200})).ok());
    auto x = client->BufferFromLiteral(Literal::R1<float>({1, 2}));
    REQUIRE(x.ok());
    auto once = f.ExecuteAsync({*x});
    INFO(MessageOf(once.status()));
    REQUIRE(once.ok());
    CHECK(x->IsDeleted());
    auto twice = f.ExecuteAsync(*once);
    REQUIRE(twice.ok());
    CHECK((*twice)[0].ToLiteral()->ToString() == "f32[2] {111, 222}");
    CHECK(client->TransferFromOutfeed()->ToString() == "f32[2] {11, 22}");
    CHECK(client->TransferFromOutfeed()->ToString() == "f32[2] {111, 222}");
  }
}

TEST_CASE("Equal modules are made ready once") {
  auto client = MakeInterpreter();
  const std::string text = "HloModule g\nENTRY e { ROOT x = f32[] parameter(0) }";
  CHECK(Compile(*client, text).impl() == Compile(*client, text).impl());
}

}  // namespace
}  // namespace sinter
