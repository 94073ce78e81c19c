// Programs run on the interpreter: what regions capture, checks, inputs.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "sinter/testing.h"
#include "tools/check.h"
#include "tools/compare.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"

namespace sinter::tools {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseStablehlo(text, "t.mlir");
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  absl::Status verified = VerifyModule(**module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  return std::move(*module);
}

absl::StatusOr<std::vector<Literal>> Run(const HloModule& module, std::vector<Literal> inputs) {
  ASSIGN_OR_RETURN(auto program, OpenInterpreter()->Load(module, {}, false));
  return program->Run(inputs);
}

std::string RunText(const std::string& text, std::vector<Literal> inputs) {
  auto results = Run(*Parse(text), std::move(inputs));
  if (!results.ok()) return MessageOf(results.status());
  std::string out;
  for (const Literal& r : *results) out += r.ToString() + ";";
  return out;
}

TEST_CASE("Loops and branches see what they capture") {
  const char* text = R"(
  func.func @main(%n: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
     cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = "stablehlo.case"(%i) ({
        %2 = stablehlo.add %a, %y : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }, {
        %2 = stablehlo.multiply %a, %y : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }, {
        stablehlo.return %x : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      %3 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %3, %1 : tensor<i32>, tensor<f32>
    }
    return %0#1, %0#0 : tensor<f32>, tensor<i32>
  })";
  auto run = [&](int32_t n) {
    return RunText(text, {Literal::R0(n), Literal::R0(2.f), Literal::R0(10.f)});
  };
  CHECK(run(0) == "f32[] 2;s32[] 0;");
  CHECK(run(1) == "f32[] 12;s32[] 1;");
  CHECK(run(2) == "f32[] 120;s32[] 2;");
  CHECK(run(5) == "f32[] 2;s32[] 5;");
}

const char* kChecked = R"(
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    call @verify(%0) : (tensor<2xf32>) -> ()
    return %0 : tensor<2xf32>
  }
  func.func private @verify(%x: tensor<2xf32>) {
    %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%x, %0) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  })";

TEST_CASE("Checks run, and fail with their place") {
  CHECK(RunText(kChecked, {Literal::R1<float>({1, 2})}) == "f32[2] {2, 4};");
  CHECK(RunText(kChecked, {Literal::R1<float>({1, 3})}) ==
        "t.mlir:9: check.expect_eq: 1 of 2 elements of f32[2] differ; the worst is at [1]: 6, "
        "expected 4 (4194304 ulp, relative 0.5)");
}

TEST_CASE("Checks taken out of a program become results") {
  auto module = Parse(kChecked);
  module->aliases().push_back({{}, 0, {}, false});
  auto checked = ExtractChecks(*module);
  INFO(MessageOf(checked.status()));
  REQUIRE(checked.ok());
  absl::Status verified = VerifyModule(*checked->module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  CHECK(checked->results == 1);
  CHECK(checked->checks.size() == 1);
  CHECK(checked->module->aliases()[0].output_index == Dims{0});
  for (bool good : {true, false}) {
    auto leaves = Run(*checked->module, {Literal::R1<float>({1, good ? 2.f : 3.f})});
    REQUIRE(leaves.ok());
    REQUIRE(leaves->size() == 3);
    CHECK(RunChecks(*checked, *leaves, true).ok() == good);
  }
}

TEST_CASE("A check that a program returns is taken out, too") {
  auto module = ParseHloText(R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT k = () custom-call(x, one), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
})",
                             "t");
  REQUIRE(module.ok());
  auto checked = ExtractChecks(**module);
  INFO(MessageOf(checked.status()));
  REQUIRE(checked.ok());
  REQUIRE(VerifyModule(*checked->module).ok());
  for (const auto& i : checked->module->entry()->instructions())
    CHECK(i->op() != HloOpcode::CustomCall);
  CHECK(checked->results == 0);
  CHECK(checked->checks.size() == 1);
  auto leaves = Run(*checked->module, {Literal::R0<float>(2)});
  REQUIRE(leaves.ok());
  REQUIRE(leaves->size() == 2);
  CHECK_FALSE(RunChecks(*checked, *leaves, true).ok());
}

TEST_CASE("Donated inputs are fed back") {
  auto module = Parse(R"(
  func.func @main(%x: tensor<f32> {tf.aliasing_output = 1 : i32}, %y: tensor<f32>)
      -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.add %x, %y : tensor<f32>
    return %y, %0 : tensor<f32>, tensor<f32>
  })");
  CHECK(FeedbackOf(*module, {0}) == std::vector<int64_t>{1});
  CHECK(FeedbackOf(*module, {1}) == std::vector<int64_t>{-1});
}

TEST_CASE("Inputs by specification") {
  auto spec = ParseBenchSpec(R"({"name": "x", "donate": [1], "inputs": [
    {"shape": [3], "type": "float32", "distribution": "iota"},
    {"shape": [2], "type": "int8", "distribution": ["const", -3]},
    {"shape": [4], "type": "uint32", "distribution": ["int", 5, 6]},
    {"shape": [], "type": "bfloat16", "distribution": "ones"},
    {"shape": [1], "type": "bool", "distribution": "zeros"}]})");
  INFO(MessageOf(spec.status()));
  REQUIRE(spec.ok());
  CHECK(spec->donate == std::vector<int64_t>{1});
  std::string all;
  for (const auto& i : spec->inputs) all += MakeInput(i, 0).ToString() + ";";
  CHECK(all == "f32[3] {0, 1, 2};s8[2] {-3, -3};u32[4] {5, 5, 5, 5};bf16[] 1;pred[1] {false};");
  CHECK(!ParseBenchSpec("{").ok());
  CHECK(
      !ParseBenchSpec(R"({"inputs": [{"shape": [3], "type": "x", "distribution": "iota"}]})").ok());
  CHECK(!ParseBenchSpec(R"({"inputs": 3})").ok());
}

TEST_CASE("Random inputs depend on the seed alone") {
  InputSpec spec = DefaultSpec(Shape(ElementType::F32, {1000}));
  CHECK(MakeInput(spec, 3) == MakeInput(spec, 3));
  CHECK(!(MakeInput(spec, 3) == MakeInput(spec, 4)));
}

TEST_CASE("The largest error") {
  auto a = Literal::R1<float>({1, 2, 3}), b = Literal::R1<float>({1, 2, 3.0000002f});
  CHECK(LargestError(a, a) == "0 ulp");
  CHECK(LargestError(a, b) == "1 ulp at [2]: 3, expected 3.0000002; largest difference 2.38e-07");
  // Near zero a small difference is many units.
  auto c = Literal::R1<float>({1e-30f, 2}), d = Literal::R1<float>({2e-30f, 2.5f});
  CHECK(
      LargestError(c, d) ==
      "8388608 ulp at [0]: 1e-30, expected 2e-30; largest difference 0.5 at [1]: 2, expected 2.5");
}

TEST_CASE("Sums may differ by their number of terms, exact programs not at all") {
  auto tolerance = [](const char* text) {
    return DeviceTolerance(**ParseHloText(text, "t"), ElementType::F32);
  };
  Tolerance exact =
      tolerance("HloModule m\nENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] multiply(x, x) }");
  CHECK(exact.max_ulp == 0);
  CHECK(exact.relative_to_largest == 0);
  Tolerance product = tolerance(R"(HloModule m
ENTRY e {
  x = f32[4,10000] parameter(0)
  ROOT y = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})");
  CHECK(product.relative_to_largest == Approx(4 * 0x1p-23 * 100));
}

TEST_CASE("Inputs of dynamic dimensions are of their bounds") {
  Shape shape(ElementType::F32, {4, 3});
  shape.set_dynamic(0, true);
  CHECK(DefaultSpec(shape).shape.ToString() == "f32[4,3]");
  CHECK(MakeInput(DefaultSpec(shape), 1).shape().ToString() == "f32[4,3]");
}

TEST_CASE("What infeeds take and outfeeds give") {
  auto module = Parse(R"(
  func.func @main() -> tensor<f32> {
    %t = stablehlo.create_token : !stablehlo.token
    %x, %a, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, tensor<2xi4>, !stablehlo.token)
    %o = "stablehlo.outfeed"(%a, %u) : (tensor<2xi4>, !stablehlo.token) -> !stablehlo.token
    %e = "stablehlo.outfeed"(%o) : (!stablehlo.token) -> !stablehlo.token
    %y, %v = "stablehlo.infeed"(%e) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    %s = stablehlo.add %x, %y : tensor<f32>
    return %s : tensor<f32>
  })");
  for (const char* name : {"eval", "cpu"}) {
    CAPTURE(name);
    auto device = *OpenDevice({.name = name});
    auto program = device->Load(*module, {}, false);
    REQUIRE(program.ok());
    Literal pair(Shape(ElementType::S4, {2}));
    pair.data<int8_t>()[0] = -3;
    REQUIRE(device->TransferToInfeed(Literal::Tuple({Literal::R0(1.5f), pair})).ok());
    REQUIRE(absl::IsCancelled((*program)->Run({}).status()));
    auto before = device->TransferFromOutfeed();
    REQUIRE(before.ok());
    REQUIRE(*before == std::vector<Literal>{Literal::Tuple({pair}), Literal::Tuple({})});
    REQUIRE(device->TransferToInfeed(Literal::Tuple({Literal::R0(1.5f), pair})).ok());
    REQUIRE(device->TransferToInfeed(Literal::R0(2.0f)).ok());
    auto sum = (*program)->Run({});
    REQUIRE(sum.ok());
    REQUIRE((*sum)[0] == Literal::R0(3.5f));
    REQUIRE(device->TransferFromOutfeed()->size() == 2);
    REQUIRE(device->TransferFromOutfeed()->empty());
  }
}

}  // namespace
}  // namespace sinter::tools
