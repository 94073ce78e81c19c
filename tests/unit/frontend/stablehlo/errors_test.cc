// Wrong and unsupported texts: exact messages, and no text ends the process.
#include <random>

#include "helpers.h"

namespace sinter {
namespace {

// The error that a function with this body gives.
std::string BodyError(const std::string& body,
                      absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  return FirstLine(
      Error("func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n" + body + "\n  return\n}\n",
            code));
}

TEST_CASE("An error shows its place") {
  CHECK(Error("func.func @main(%a: tensor<2xf32>) {\n  %0 = stablehlo.add %a, %q : tensor<2xf32>\n"
              "  return\n}") ==
        "t.mlir:2:26: %q is not defined\n"
        "  %0 = stablehlo.add %a, %q : tensor<2xf32>\n"
        "                         ^");
}

TEST_CASE("Layouts that are none, and incomplete calls of ApproxTopK") {
  auto error = [](const std::string& layouts) {
    return BodyError(
        "  %0 = stablehlo.custom_call @f(%a) {operand_layouts = " + layouts +
        ", result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>");
  };
  CHECK_THAT(error("[]"), Catch::Matchers::EndsWith("operand_layouts must be a list of 1 layouts"));
  CHECK_THAT(error("3 : i64"), Catch::Matchers::EndsWith("must be a list of 1 layouts"));
  CHECK_THAT(error("[dense<1> : tensor<1xindex>]"),
             Catch::Matchers::EndsWith("operand_layouts 0 is no layout of tensor<2xf32>"));
  CHECK_THAT(error("[dense<[0, 1]> : tensor<2xindex>]"),
             Catch::Matchers::EndsWith("operand_layouts 0 is no layout of tensor<2xf32>"));
  auto call = [](const std::string& attributes) {
    return BodyError(
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = "
        "stablehlo.custom_call @ApproxTopK(%a, %c) {" +
        attributes + "} : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>");
  };
  CHECK_THAT(call("called_computations = []"), Catch::Matchers::Contains("mhlo.backend_config"));
  CHECK_THAT(call("mhlo.backend_config = {top_k = 1 : i64}"),
             Catch::Matchers::EndsWith("must have an integer reduction_dim"));
  CHECK_THAT(call("mhlo.backend_config = {reduction_dim = 0 : i64}"),
             Catch::Matchers::Contains("called_computations"));
  CHECK_THAT(call("mhlo.backend_config = {reduction_dim = 0 : i64}, called_computations = [@f]"),
             Catch::Matchers::Contains("there is no function @f"));
}

TEST_CASE("A check has no results") {
  CHECK_THAT(BodyError("  %0 = \"check.expect_eq\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> "
                       "tensor<2xf32>\n  %1 = stablehlo.add %0, %0 : tensor<2xf32>"),
             Catch::Matchers::Contains("check.expect_eq") &&
                 Catch::Matchers::Contains("has no results, got 1"));
}

TEST_CASE("A long line is abridged around the place") {
  std::string hex(5000, '0');
  std::string error = Error("func.func @main() { %0 = stablehlo.constant dense<\"0x" + hex +
                            "\"> : tensor<7xf32> return }");
  CHECK(error.size() < 400);
  CHECK(FirstLine(error) == "t.mlir:1:51: 2500 bytes of data for tensor<7xf32>");
}

TEST_CASE("Errors of syntax") {
  CHECK(FirstLine(Error("func.func @main(")) ==
        "t.mlir:1:17: expected a type, got the end of the text");
  CHECK(FirstLine(Error("hello")) ==
        "t.mlir:1:1: expected a module, a function or an alias, got "
        "'hello'");
  CHECK(FirstLine(Error("module {")) ==
        "t.mlir:1:9: expected '}' at the end of the module, got the end of the text");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2xf33>) { return }")) ==
        "t.mlir:1:30: 'f33' is not a type");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2 3xf32>) { return }")) ==
        "t.mlir:1:28: expected 'x' behind a dimension");
  CHECK(FirstLine(Error("func.func @main(%a: !x) { return }")) ==
        "t.mlir:1:21: the type alias '!x' is not defined");
  CHECK(FirstLine(Error("func.func @main() { return }\nfunc.func @main() { return }")) ==
        "t.mlir:2:11: a second function @main");
  CHECK(FirstLine(Error("func.func @main() { }")) ==
        "t.mlir:1:21: the region ends without a return");
  CHECK(FirstLine(Error("func.func @main() -> tensor<f32> { return }")) ==
        "t.mlir:1:36: @main has 1 results, but 0 values are returned");
  CHECK(BodyError("  %0 = stablehlo.add %a %a : tensor<2xf32>") ==
        "t.mlir:2:25: expected ',' or ':' behind an operand, got '%a'");
  CHECK(BodyError("  %0 = stablehlo.add %a, %a") ==
        "t.mlir:3:3: expected ',' or ':' behind an operand, got 'return'");
  CHECK(BodyError("  %0 = \"stablehlo.add\"(%a, %a : ") ==
        "t.mlir:2:31: expected ')' behind operands, got ':'");
  CHECK(BodyError("  %0 = \"stablehlo.add(%a, %a) : ") ==
        "t.mlir:2:8: this string is never closed");
  CHECK(BodyError("  %a = stablehlo.negate %a : tensor<2xf32>") ==
        "t.mlir:2:3: %a is defined twice");
  CHECK(BodyError("  %0 = stablehlo.slice %a [0:1 : tensor<2xf32>") ==
        "t.mlir:2:34: expected an integer, got 'tensor'");
}

TEST_CASE("Errors of types and shapes") {
  CHECK(BodyError("  %0 = stablehlo.add %a, %b : tensor<2xf32>") ==
        "t.mlir:2:8: operand 1 of stablehlo.add is %b of type tensor<3xf32>, not tensor<2xf32>");
  CHECK(
      BodyError("  %0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>") ==
      "t.mlir:2:8: add: (C1) the operands must have the same shape and element type; operands "
      "f32[2], f32[3]; result f32[2]");
  CHECK(BodyError("  %0 = stablehlo.negate %a : (tensor<2xf32>) -> tensor<3xf32>").substr(0, 12) ==
        "t.mlir:2:8: ");
  CHECK(BodyError("  %0:2 = stablehlo.negate %a : tensor<2xf32>") ==
        "t.mlir:2:10: stablehlo.negate has 1 results, but 2 are named");
  CHECK(BodyError("  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf32>, tensor<3xf32>\n"
                  "  %1 = stablehlo.negate %0 : tensor<3xf32>") ==
        "t.mlir:3:8: operand 0 of stablehlo.negate is %0 of type tensor<2xf32>, not tensor<3xf32>");
  CHECK(BodyError("  %0 = stablehlo.negate %a#1 : tensor<2xf32>") ==
        "t.mlir:2:25: %a#1: %a stands for 1 values");
  CHECK(BodyError("  %0 = stablehlo.transpose %a : (tensor<2xf32>) -> tensor<2xf32>") ==
        "t.mlir:2:8: stablehlo.transpose: the attribute permutation is missing");
  CHECK(BodyError("  %0 = stablehlo.compare XX, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
                  "tensor<2xi1>") == "t.mlir:2:8: stablehlo.compare: 'XX' is no comparison");
  CHECK(BodyError("  %0 = call @f() : () -> tensor<f32>") == "t.mlir:2:8: there is no function @f");
  CHECK(BodyError("  call @main(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> ()") ==
        "t.mlir:2:3: @main calls itself");
}

TEST_CASE("What is not supported") {
  constexpr auto kCode = absl::StatusCode::kUnimplemented;
  CHECK(BodyError("  %0 = stablehlo.my_op %a : tensor<2xf32>", kCode) ==
        "t.mlir:2:8: operation 'stablehlo.my_op'");
  CHECK(BodyError("  %0 = \"my.op\"(%a) {x = 1} : (tensor<2xf32>) -> tensor<2xf32>", kCode) ==
        "t.mlir:2:8: operation 'my.op'");
  CHECK(BodyError("  %0 = arith.constant 0 : i32", kCode) ==
        "t.mlir:2:8: operation 'arith.constant'");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : "
                        "tensor<?xf32> }",
                        kCode)) ==
        "t.mlir:1:11: argument 0 of @main has dynamic dimensions without a bound, which shapes of "
        "the "
        "arguments would give it: tensor<?xf32>");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2xi7>) { return }", kCode)) ==
        "t.mlir:1:21: values of type tensor<2xi7>");
  CHECK(FirstLine(Error("func.func @main(%a: memref<2xi8>) { return }", kCode)) ==
        "t.mlir:1:21: values of type memref<2xi8>");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<*xf32>) { return }", kCode)) ==
        "t.mlir:1:21: values of type tensor<*xf32>");
  CHECK(FirstLine(Error("func.func @main() {\n ^bb0:\n return\n ^bb1:\n return }", kCode)) ==
        "t.mlir:4:2: regions of several blocks");
}

TEST_CASE("Limits") {
  constexpr auto kCode = absl::StatusCode::kResourceExhausted;
  CHECK(FirstLine(Error("func.func @main(%a: tensor<99999999999999999999xf32>) { return }",
                        kCode)) == "t.mlir:1:28: a dimension of more than 2^63 - 1");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<9999999999x9999999999xf32>) { return }",
                        kCode)) == "t.mlir:1:21: a tensor of more than 2^63 bytes");
  auto repeat = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  CHECK(Error("func.func @main(%a: " + repeat("tuple<", 100000) + ") {}", kCode)
            .find("nested deeper than 128 levels") != std::string::npos);
  CHECK(Error("#x = " + repeat("[", 100000), kCode).find("nested deeper") != std::string::npos);
  CHECK(Error("#x = loc(" + repeat("\"a\"(", 100000), kCode).find("nested deeper") !=
        std::string::npos);
  CHECK(Error("func.func @main() {" + repeat("\"stablehlo.case\"() ({", 100000), kCode)
            .find("regions nested deeper than 64 levels") != std::string::npos);
  std::string chain;
  for (int i = 0; i < 5000; ++i) {
    chain += Format("func.func private @f{}() {{ call @f{}() : () -> () return }}\n", i, i + 1);
  }
  CHECK(Error(chain + "func.func private @f5000() { return }\nfunc.func @main() { call @f0() : () "
                      "-> () return }",
              kCode)
            .find("calls nested deeper than 1000") != std::string::npos);
}

// Texts with pieces cut, doubled, swapped and overwritten are parsed or refused; the sanitizers
// watch.
TEST_CASE("Mutated texts") {
  const std::string seeds[] = {
      R"(module @m attributes {a = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<i32>) -> (tensor<2x3xf32> {x = "y"}) {
    %cst = stablehlo.constant dense<[[1.0, 2.5e-1, -3.0], [0x7F800000, inf, nan]]> : tensor<2x3xf32>
    %c = stablehlo.constant dense<"0x01000000FFFFFFFF"> : tensor<2xi32>
    %0:2 = stablehlo.while(%i = %arg1, %x = %arg0) : tensor<i32>, tensor<2x3xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %x, %cst : tensor<2x3xf32>
      stablehlo.return %i, %1 : tensor<i32>, tensor<2x3xf32>
    }
    %2 = call @f(%0#1) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(#loc1)
    return %2 : tensor<2x3xf32>
  }
  func.func private @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %z = stablehlo.constant dense<(0.0,1.0)> : tensor<4xcomplex<f32>>
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %s = stablehlo.slice %b [0:2, 0:3:1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %s : tensor<2x3xf32>
  }
}
#loc1 = loc("a"("f.py":1:2 to :3)))",
      R"("builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xi8>, tensor<i1>) -> tensor<4xi8>, sym_name = "main"}> ({
  ^bb0(%a: tensor<4xi8>, %p: tensor<i1>):
    %q = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<4xi8>) -> tensor<4xi8>
    %d = "stablehlo.dot_general"(%a, %q) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4xi8>, tensor<4xi8>) -> tensor<i8>
    %0 = "stablehlo.if"(%p) ({
      "stablehlo.return"(%a) : (tensor<4xi8>) -> ()
    }, {
      %1 = "stablehlo.broadcast_in_dim"(%d) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<4xi8>
      "stablehlo.return"(%1) : (tensor<4xi8>) -> ()
    }) : (tensor<i1>) -> tensor<4xi8>
    "func.return"(%0) : (tensor<4xi8>) -> ()
  }) : () -> ()
}) : () -> ()
{-# dialect_resources: { builtin: { x: "0x0400000001" } } #-})"};
  std::mt19937 random(7);
  auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int parsed = 0;
  for (const std::string& seed : seeds) {
    Parse(seed);
    for (int round = 0; round < 3000; ++round) {
      std::string text = seed;
      for (size_t n = pick(3) + 1; n-- > 0 && !text.empty();) {
        size_t at = pick(text.size()), length = pick(12) + 1;
        switch (pick(5)) {
          case 0:
            text.erase(at, length);
            break;
          case 1:
            text.insert(at, text.substr(pick(text.size()), length));
            break;
          case 2:
            text[at] = "%#@!<>(){}[]:,=-\"0x9."[pick(21)];
            break;
          case 3:
            text.resize(at);
            break;
          default:
            text[at] = static_cast<char>(pick(256));
            break;
        }
      }
      auto module = ParseStablehlo(text, "t.mlir");
      if (!module.ok()) {
        CHECK(module.status().code() != absl::StatusCode::kInternal);
        continue;
      }
      ++parsed;
      absl::Status verified = VerifyModule(**module);
      INFO(text);
      INFO(MessageOf(verified));
      CHECK(verified.ok());
    }
  }
  CHECK(parsed > 0);
}

}  // namespace
}  // namespace sinter
