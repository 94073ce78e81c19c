// Attributes that change no value: kept, and printed again.
#include "frontend/stablehlo_text/printer.h"
#include "helpers.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

// What a text prints to, which must print to itself; or the error.
std::string Printed(std::string_view text) {
  auto m = ParseStablehlo(text, "t.mlir");
  if (!m.ok()) return MessageOf(m.status());
  auto printed = PrintStablehlo(**m);
  if (!printed.ok()) return MessageOf(printed.status());
  auto again = ParseStablehlo(*printed, "again.mlir");
  if (!again.ok()) return MessageOf(again.status()) + " in " + *printed;
  auto twice = PrintStablehlo(**again);
  return twice.ok() && *twice == *printed ? *printed : "another text";
}

constexpr std::string_view kKept =
    R"(module @m attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {jax.arg_info = "x", mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32}) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32>) attributes {my.unit, xla.n = dense<[1, 2]> : tensor<2xi64>} {
    %0 = stablehlo.add %arg0, %arg1 {mhlo.frontend_attributes = {"a" = "b \"c\"", "d" = "e"}, mhlo.sharding = "{replicated}"} : tensor<4xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> {my.dims = [1 : i32, {k = 2}]} : () -> tensor<f32>
    %2 = stablehlo.custom_call @f(%0) {api_version = 2 : i32, my.note = "n"} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
}
)";

TEST_CASE("Attributes of modules, functions, arguments, results and operations are printed again") {
  const std::string text = Printed(kKept);
  for (std::string_view part :
       {"attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 2 : i32",
        "sdy.mesh @mesh = <[\"x\"=2]>\n",
        "%arg0: tensor<4xf32> {jax.arg_info = \"x\", mhlo.sharding = \"{devices=[2]<=[2]}\"}",
        "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>, tf.aliasing_output = 0 : i32}",
        "-> (tensor<4xf32> {jax.result_info = \"result[0]\"}, tensor<4xf32>) "
        "attributes {my.unit, xla.n = dense<[1, 2]> : tensor<2xi64>} {",
        "mhlo.frontend_attributes = {\"a\" = \"b \\22c\\22\", \"d\" = \"e\"}",
        "mhlo.sharding = \"{replicated}\"} : tensor<4xf32>\n",
        "{my.dims = [1 : i32, {k = 2}]} : () -> tensor<f32>", "my.note = \"n\"}"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("Attributes are kept where the first result has no user") {
  const std::string text = Printed(R"(func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0:2 = stablehlo.custom_call @f(%x) {my.note = "n"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
})");
  INFO(text);
  CHECK(text.find("my.note = \"n\"}") != std::string::npos);
}

TEST_CASE("Functions without a body are printed again") {
  const std::string text = Printed(R"(#note = "n"
!pair = tuple<tensor<2xf32>, tensor<i32>>
module @m {
  func.func private @main_0()
  func.func private @outside(tensor<2xf32> {my.note = #note} loc(unknown), !pair) -> (tensor<?xf32> {my.unit}, !stablehlo.future<tensor<f32>>) attributes {my.k = 1 : i32}
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = "a b", sym_visibility = "private"}> ({}) : () -> ()
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
})");
  for (std::string_view part :
       {"  func.func private @main_0()\n",
        "  func.func private @outside(tensor<2xf32> {my.note = \"n\"}, tuple<tensor<2xf32>, "
        "tensor<i32>>) -> (tensor<?xf32> {my.unit}, !stablehlo.future<tensor<f32>>) attributes "
        "{my.k = 1 : i32}\n",
        "  func.func private @\"a b\"(tensor<2xf32>) -> tensor<f32>\n"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  // One that is called, or is to be compiled.
  for (const char* unknown :
       {"func.func private @f(tensor<2xf32>) -> tensor<2xf32>\n"
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %r = call @f(%x) : "
        "(tensor<2xf32>) -> tensor<2xf32>\n  return %r : tensor<2xf32>\n}",
        "func.func private @main(tensor<2xf32>)"}) {
    auto m = ParseStablehlo(unknown, "t.mlir");
    CHECK(m.status().code() == absl::StatusCode::kUnimplemented);
    CHECK_THAT(MessageOf(m.status()), Catch::Contains("has no body"));
  }
}

TEST_CASE("Shardings and frontend attributes are those of HLO text") {
  auto m = ParseStablehlo(kKept, "t.mlir");
  REQUIRE(MessageOf(m.status()) == "");
  const std::string hlo = Print(**m);
  CHECK(hlo.find("sharding={devices=[2]<=[2]}") != hlo.npos);
  CHECK(hlo.find("sharding={replicated}") != hlo.npos);
  CHECK(hlo.find(R"(frontend_attributes={a="b \"c\"",d="e"})") != hlo.npos);
  CHECK(hlo.find("jax.") == hlo.npos);
  auto back = ParseHloText(hlo, "t.hlo");
  REQUIRE(MessageOf(back.status()) == "");
  auto text = PrintStablehlo(**back);
  REQUIRE(MessageOf(text.status()) == "");
  CHECK(text->find(R"({"a" = "b \22c\22", "d" = "e"})") != text->npos);
  CHECK(text->find(R"(mhlo.sharding = "{replicated}")") != text->npos);
}

TEST_CASE("Frontend attributes of HLO text are strings, whatever they hold") {
  auto m = ParseHloText(R"(HloModule m
ENTRY e {
  ROOT x = f32[2] parameter(0), frontend_attributes={m=affine_map<(i) -> (i)>,a="b\n\"c\"",k={"n": [1, "}"]},plain=7}
}
)",
                        "t.hlo");
  REQUIRE(MessageOf(m.status()) == "");
  auto text = PrintStablehlo(**m);
  REQUIRE(MessageOf(text.status()) == "");
  CHECK_THAT(
      *text,
      Catch::Contains(
          R"({"m" = "affine_map<(i) -> (i)>", "a" = "b\0A\22c\22", "k" = "{\22n\22: [1, \22}\22]}", )"
          R"("plain" = "7"})"));
  auto back = ParseStablehlo(*text, "t.mlir");
  REQUIRE(MessageOf(back.status()) == "");
  CHECK_THAT(Print(**back), Catch::Contains(R"(a="b\n\"c\"",k="{\"n\": [1, \"}\"]}",plain="7")"));
}

TEST_CASE("A string that HLO text would not read as one value is no sharding of it") {
  for (const std::string sharding : {"{//}", "{/*}", "{}}", "{} x={}", "{", "{)}", "{\\22}", ""}) {
    CAPTURE(sharding);
    const std::string text = Format(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n"
        "  %0 = stablehlo.negate %x {{mhlo.sharding = \"{}\"}} : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}}\n",
        sharding);
    auto m = ParseStablehlo(text, "t.mlir");
    REQUIRE(MessageOf(m.status()) == "");
    CHECK_THAT(Print(**m), !Catch::Contains("sharding="));
    CHECK_THAT(*PrintStablehlo(**m), Catch::Contains(Format("mhlo.sharding = \"{}\"", sharding)));
  }
}

TEST_CASE("Aliases are what they stand for") {
  const std::string text = Printed(R"(#a = #my.attr<"x#a", 1>
!t = tensor<2xf32>
#b = [#a, #a]
func.func @main(%x: !t {my.b = #b, my.t = !t}) -> !t {
  return %x : !t
})");
  CHECK(text.find(R"({my.b = [#my.attr<"x#a", 1>, #my.attr<"x#a", 1>], my.t = tensor<2xf32>})") !=
        text.npos);
  std::string deep = "#a0 = [1, 1]\n";
  for (int n = 1; n < 40; ++n) deep += Format("#a{} = [#a{}, #a{}]\n", n, n - 1, n - 1);
  CHECK(Printed(deep + "func.func @main() { return }").find("aliases stand for too long a text") !=
        std::string::npos);
}

TEST_CASE("Loops have their attributes before their regions") {
  const std::string text = Printed(R"(func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32> attributes {my.loop = 1 : i64}
  cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %i {my.inner} : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %0 : tensor<i32>
})");
  CHECK(text.find(": tensor<i32> attributes {my.loop = 1 : i64}\n") != text.npos);
  CHECK(text.find("{my.inner} : tensor<i32>\n") != text.npos);
}

}  // namespace
}  // namespace sinter
