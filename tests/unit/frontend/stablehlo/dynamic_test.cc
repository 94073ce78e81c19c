#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

std::unique_ptr<HloModule> ParseFor(const std::string& text,
                                    std::vector<StablehloArgument> arguments) {
  auto module = ParseStablehlo(text, "t.mlir", {.arguments = std::move(arguments)});
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  absl::Status verified = VerifyModule(**module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  return std::move(*module);
}
StablehloArgument OfShape(std::vector<int64_t> dims, ElementType type = ElementType::F32) {
  return {.shape = Shape(type, std::move(dims))};
}
StablehloArgument Is(int64_t value) { return {.value = Literal::R0<int64_t>(value)}; }

std::string Result(const HloModule& m, std::vector<Literal> arguments = {}) {
  auto result = Evaluate(m, arguments);
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  return result->ToString();
}

// One operation without arguments whose sizes are constants.
std::string Constant(const std::string& op, const std::string& result) {
  return "func.func @main() -> " + result + " {\n" + op + "  return %r : " + result + "\n}";
}

TEST_CASE("Aliases name parameters, of which arguments with values are none") {
  const std::string text =
      "func.func @main(%n: tensor<i64>, %x: tensor<2xf32> {tf.aliasing_output = 0 : i32}, "
      "%y: tensor<2xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<2xf32>, tensor<2xf32>) {\n"
      "  return %x, %y : tensor<2xf32>, tensor<2xf32>\n}";
  auto m = ParseFor(text, {Is(1)});
  REQUIRE(m->aliases().size() == 2);
  CHECK(m->aliases()[0].parameter == 0);
  CHECK(m->aliases()[1].parameter == 1);
  m = ParseFor(text, {Is(1), {.value = Literal::R1<float>({1, 2})}});
  REQUIRE(m->aliases().size() == 1);
  CHECK(m->aliases()[0].output_index == Dims{1});
  CHECK(m->aliases()[0].parameter == 0);
}

TEST_CASE("Operations whose sizes are constants") {
  CHECK(Result(*Parse(Constant("  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                               "  %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> "
                               "tensor<2x3xi32>\n",
                               "tensor<2x3xi32>"))) == "s32[2,3] {{0, 1, 2}, {0, 1, 2}}");
  CHECK(Result(*Parse(Constant("  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                               "  %x = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n"
                               "  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : "
                               "(tensor<2xi32>, tensor<2xi64>) -> tensor<?x?xi32>\n",
                               "tensor<?x?xi32>"))) == "s32[2,3] {{5, 5, 5}, {6, 6, 6}}");
  CHECK(Result(*Parse(Constant("  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi64>\n"
                               "  %x = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n"
                               "  %r = stablehlo.dynamic_reshape %x, %s : "
                               "(tensor<2xi32>, tensor<2xi64>) -> tensor<?x1xi32>\n",
                               "tensor<?x1xi32>"))) == "s32[2,1] {{5}, {6}}");
  CHECK(Result(*Parse(Constant("  %x = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n"
                               "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
                               "  %l = stablehlo.constant dense<1> : tensor<1xi64>\n"
                               "  %h = stablehlo.constant dense<2> : tensor<1xi64>\n"
                               "  %r = stablehlo.dynamic_pad %x, %z, %l, %h, %l : (tensor<2xi32>, "
                               "tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> "
                               "tensor<?xi32>\n",
                               "tensor<?xi32>"))) == "s32[6] {0, 5, 0, 6, 0, 0}");
  CHECK(
      Result(*Parse(Constant("  %x = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>\n"
                             "  %l = stablehlo.constant dense<1> : tensor<1xi64>\n"
                             "  %h = stablehlo.constant dense<4> : tensor<1xi64>\n"
                             "  %s = stablehlo.constant dense<2> : tensor<1xi64>\n"
                             "  %r = stablehlo.real_dynamic_slice %x, %l, %h, %s : (tensor<4xi32>, "
                             "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>\n",
                             "tensor<?xi32>"))) == "s32[2] {6, 8}");
  CHECK(
      Result(*Parse(Constant("  %x = stablehlo.constant dense<[[5, 6, 7]]> : tensor<1x3xi32>\n"
                             "  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x3xi32>) "
                             "-> tensor<i32>\n",
                             "tensor<i32>"))) == "s32[] 3");
  CHECK(Result(
            *Parse(Constant("  %x = stablehlo.constant dense<[5, 6, 7]> : tensor<3xi32>\n"
                            "  %n = stablehlo.constant dense<2> : tensor<i32>\n"
                            "  %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3xi32>, "
                            "tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>\n",
                            "tensor<?xi32, #stablehlo.bounds<3>>"))) == "s32[2] {5, 6}");
  CHECK(
      Result(*Parse(Constant(
          "  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>\n"
          "  %w = stablehlo.constant dense<1.0> : tensor<2x1x1xf32>\n"
          "  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>\n"
          "  %r = stablehlo.dynamic_conv(%x, %w, %p) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
          "window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
          "(tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>\n",
          "tensor<1x?x1xf32>"))) == "f32[1,3,1] {{{1}, {3}, {5}}}");
}

TEST_CASE("Shapes follow from those of the arguments") {
  const std::string text =
      "func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n"
      "  %four = stablehlo.constant dense<4> : tensor<i32>\n"
      "  %m = stablehlo.multiply %n, %four : tensor<i32>\n"
      "  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
      "  %y = stablehlo.add %x, %x : tensor<?x4xf32>\n"
      "  %r = stablehlo.dynamic_reshape %y, %s : (tensor<?x4xf32>, tensor<1xi32>) -> "
      "tensor<?xf32>\n"
      "  return %r : tensor<?xf32>\n}";
  CHECK(ParseFor(text, {OfShape({3, 4})})->entry()->root()->shape().ToString() == "f32[12]");
  CHECK(ParseFor(text, {OfShape({0, 4})})->entry()->root()->shape().ToString() == "f32[0]");
  auto wrong = ParseStablehlo(text, "t.mlir", {.arguments = {OfShape({3, 5})}});
  REQUIRE(!wrong.ok());
  CHECK(FirstLine(MessageOf(wrong.status())) ==
        "t.mlir:1:11: argument 0 of @main is tensor<3x5xf32>, not tensor<?x4xf32>");
}

TEST_CASE("Arguments may be sizes, and functions have the shapes of each call") {
  const std::string text =
      "func.func @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?x2xf32> {\n"
      "  %y = call @twice(%n, %x) : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>\n"
      "  %s = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>\n"
      "  %two = stablehlo.constant dense<2> : tensor<1xi64>\n"
      "  %d = stablehlo.concatenate %s, %two, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> "
      "tensor<2xi64>\n"
      "  %r = stablehlo.dynamic_broadcast_in_dim %y, %d, dims = [0] : (tensor<?xf32>, "
      "tensor<2xi64>) -> tensor<?x2xf32>\n"
      "  return %r : tensor<?x2xf32>\n}\n"
      "func.func private @twice(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %s = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>\n"
      "  %c = stablehlo.constant dense<2.0> : tensor<f32>\n"
      "  %t = stablehlo.dynamic_broadcast_in_dim %c, %s, dims = [] : (tensor<f32>, tensor<1xi64>) "
      "-> tensor<?xf32>\n"
      "  %y = stablehlo.multiply %x, %t : tensor<?xf32>\n"
      "  return %y : tensor<?xf32>\n}";
  auto module = ParseFor(text, {Is(3), OfShape({3})});
  REQUIRE(module->entry()->parameters().size() == 1);
  CHECK(Result(*module, {Literal::R1<float>({1, 2, 3})}) == "f32[3,2] {{2, 2}, {4, 4}, {6, 6}}");
}

TEST_CASE("Dynamic shapes that cannot be known") {
  constexpr auto kCode = absl::StatusCode::kUnimplemented;
  CHECK(FirstLine(
            Error("func.func @main(%s: tensor<1xi64>) -> tensor<?xi32> {\n"
                  "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>\n"
                  "  return %r : tensor<?xi32> }",
                  kCode)) ==
        "t.mlir:2:8: stablehlo.dynamic_iota: sizes that depend on data, for a result without "
        "bounds: shapes of the arguments may make them static");
  CHECK(FirstLine(
            Error("func.func @main() -> tensor<4xi32> {\n"
                  "  %s = stablehlo.constant dense<[3]> : tensor<1xi64>\n"
                  "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>\n"
                  "  return %r : tensor<4xi32> }")) ==
        "t.mlir:3:8: stablehlo.dynamic_iota: the result is tensor<3xi32>, not tensor<4xi32>");
  CHECK(FirstLine(Error("func.func @main(%x: tensor<2xf32>) -> tensor<i32> {\n"
                        "  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2xf32>) -> "
                        "tensor<i32>\n"
                        "  return %r : tensor<i32> }")) ==
        "t.mlir:2:8: stablehlo.get_dimension_size: (C1) 1 is not a dimension of tensor<2xf32>");
}

TEST_CASE("Sizes of bounded dimensions are known when the program runs") {
  auto sized = Parse(
      "func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> (tensor<i32>, "
      "tensor<?xf32, #stablehlo.bounds<12>>) {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, "
      "?>>) -> tensor<i32>\n"
      "  %c = stablehlo.constant dense<3> : tensor<i32>\n"
      "  %m = stablehlo.multiply %n, %c : tensor<i32>\n"
      "  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
      "  %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, "
      "tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<12>>\n"
      "  return %n, %r : tensor<i32>, tensor<?xf32, #stablehlo.bounds<12>>\n}");
  CHECK(Root(*sized)->shape().ToString() == "(s32[], f32[<=12])");
  CHECK(Result(*sized, {Literal::R2<float>({{1, 2, 3}, {4, 5, 6}})}) ==
        "(s32[], f32[6]) (2, {1, 2, 3, 4, 5, 6})");
}

TEST_CASE("Constant sizes where the type states a bound") {
  const std::string eight = "tensor<?xi32, #stablehlo.bounds<8>>";
  // The value has the bound that is stated, so that it fits what else has that type.
  auto check = [&](const std::string& op, const std::string& types, const std::string& expected) {
    auto m =
        Parse(Constant("  %none = stablehlo.constant dense<0> : tensor<1xi64>\n"
                       "  %one = stablehlo.constant dense<1> : tensor<1xi64>\n"
                       "  %four = stablehlo.constant dense<4> : tensor<1xi64>\n"
                       "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
                       "  %x = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>\n"
                       "  %a = " +
                           op + " : (" + types + ") -> " + eight +
                           "\n  %r = stablehlo.add %a, %a : " + eight + "\n",
                       eight));
    CHECK(Root(*m)->shape().ToString() == "s32[<=8]");
    CHECK(Result(*m) == expected);
  };
  check("stablehlo.dynamic_reshape %x, %four", "tensor<4xi32>, tensor<1xi64>",
        "s32[4] {10, 12, 14, 16}");
  check("stablehlo.dynamic_iota %four, dim = 0", "tensor<1xi64>", "s32[4] {0, 2, 4, 6}");
  check("stablehlo.dynamic_broadcast_in_dim %x, %four, dims = [0]", "tensor<4xi32>, tensor<1xi64>",
        "s32[4] {10, 12, 14, 16}");
  check("stablehlo.dynamic_pad %x, %z, %one, %one, %none",
        "tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>",
        "s32[6] {0, 10, 12, 14, 16, 0}");
  check("stablehlo.real_dynamic_slice %x, %one, %four, %one",
        "tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>", "s32[3] {12, 14, 16}");
  const std::string image = "tensor<1x4x4x1xi32>",
                    bounded = "tensor<1x?x?x1xi32, #stablehlo.bounds<?, 8, 8, ?>>";
  auto m = Parse(
      Constant("  %x = stablehlo.constant dense<1> : " + image +
                   "\n  %k = stablehlo.constant dense<1> : tensor<4x4x1x1xi32>\n"
                   "  %p = stablehlo.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi32>\n"
                   "  %r = \"stablehlo.dynamic_conv\"(%x, %k, %p) <{batch_group_count = 1 : i64, "
                   "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
                   "feature_group_count = 1 : i64}> : (" +
                   image + ", tensor<4x4x1x1xi32>, tensor<2x2xi32>) -> " + bounded + "\n",
               bounded));
  CHECK(Root(*m)->shape().ToString() == "s32[1,<=8,<=8,1]");
  CHECK(Result(*m) == "s32[1,2,1,1] {{{{12}}, {{16}}}}");
}

// One operation on x with sizes that are an argument, s32[..].
std::string Sized(const std::string& op, const std::string& types, const std::string& result,
                  int64_t sizes) {
  const std::string vector = "tensor<" + std::to_string(sizes) + "xi32>";
  return "func.func @main(%x: tensor<3xf32>, %s: " + vector + ") -> " + result +
         " {\n  %z = stablehlo.constant dense<9.0> : tensor<f32>\n"
         "  %o = stablehlo.constant dense<1> : tensor<1xi32>\n  %r = " +
         op + " : (" + types + ") -> " + result + "\n  return %r : " + result + "\n}";
}

TEST_CASE("Operations whose sizes are arguments") {
  const Literal x = Literal::R1<float>({1, 2, 3});
  auto run = [&](const std::string& text, std::vector<int32_t> sizes) {
    return Result(*Parse(text), {x, Literal::R1<int32_t>(absl::MakeConstSpan(sizes))});
  };
  const std::string five = "tensor<?xf32, #stablehlo.bounds<5>>";
  CHECK(run(Sized("stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]",
                  "tensor<3xf32>, tensor<2xi32>", "tensor<?x3xf32, #stablehlo.bounds<4, ?>>", 2),
            {2, 3}) == "f32[2,3] {{1, 2, 3}, {1, 2, 3}}");
  CHECK(run(Sized("stablehlo.dynamic_iota %s, dim = 0", "tensor<1xi32>", five, 1), {4}) ==
        "f32[4] {0, 1, 2, 3}");
  CHECK(run(Sized("stablehlo.dynamic_pad %x, %z, %s, %o, %o",
                  "tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>",
                  "tensor<?xf32, #stablehlo.bounds<9>>", 1),
            {2}) == "f32[8] {9, 9, 1, 9, 2, 9, 3, 9}");
  CHECK(run(Sized("stablehlo.dynamic_pad %x, %z, %s, %o, %o",
                  "tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>",
                  "tensor<?xf32, #stablehlo.bounds<9>>", 1),
            {-2}) == "f32[4] {2, 9, 3, 9}");
  CHECK(run(Sized("stablehlo.real_dynamic_slice %x, %o, %s, %o",
                  "tensor<3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>",
                  "tensor<?xf32, #stablehlo.bounds<3>>", 1),
            {3}) == "f32[2] {2, 3}");
}

TEST_CASE("Dimensions without a bound may be given sizes, or bounds") {
  const std::string text =
      "func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
      "  %y = stablehlo.add %x, %x : tensor<?x2xf32>\n  return %y : tensor<?x2xf32>\n}";
  StablehloArgument sizes;
  sizes.sizes = {{3, 2}};
  CHECK(Root(*ParseFor(text, {sizes}))->shape().ToString() == "f32[3,2]");
  Shape bounded(ElementType::F32, {5, 2});
  bounded.set_dynamic(0, true);
  CHECK(Root(*ParseFor(text, {{.shape = bounded}}))->shape().ToString() == "f32[<=5,2]");
  CHECK(FirstLine(Error(text, absl::StatusCode::kUnimplemented)) ==
        "t.mlir:1:11: argument 0 of @main has dynamic dimensions without a bound, which shapes of "
        "the arguments would give it: tensor<?x2xf32>");
}

TEST_CASE("Random numbers are as many as their shape says") {
  auto rng = [](std::string_view shape) {
    return Format(
        "func.func @main(%a: tensor<f32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {{\n"
        "  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
        "  %r = stablehlo.rng %a, %a, {}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
        "tensor<2xi64>) -> tensor<?x?xf32>\n  return %r : tensor<?x?xf32>\n}}",
        shape);
  };
  CHECK(Root(*Parse(rng("%c")))->shape().ToString() == "f32[2,3]");
  CHECK(FirstLine(Error(rng("%s"), absl::StatusCode::kUnimplemented))
            .find("sizes that depend on data, for a result without bounds") != std::string::npos);
}

}  // namespace
}  // namespace sinter
