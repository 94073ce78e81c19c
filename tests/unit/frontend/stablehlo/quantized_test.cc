#include <cmath>
#include <limits>

#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

// The result of a program without arguments.
std::vector<double> Run(const std::string& text) {
  auto module = Parse(text);
  auto result = Evaluate(*module, {});
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  std::vector<double> values;
  for (int64_t i = 0; i < result->shape().element_count(); ++i)
    values.push_back(result->GetAsDouble(i));
  return values;
}
using Doubles = std::vector<double>;

// A program that returns %r of the type `result`.
std::string Program(const std::string& body, const std::string& result) {
  return "func.func @main() -> " + result + " {\n" + body + "  return %r : " + result + "\n}";
}

#define QUARTERS "!quant.uniform<i8:f32, 0.25:3>"
#define PER_AXIS "!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>"

TEST_CASE("uniform_quantize divides, moves, limits, rounds to even") {
  const std::string type = "tensor<8x" QUARTERS ">";
  CHECK(
      Run(Program("  %x = stablehlo.constant dense<[0.0, 0.125, 0.375, -0.125, 1.0, 100.0, -100.0, "
                  "0x7FC00000]> : tensor<8xf32>\n"
                  "  %q = stablehlo.uniform_quantize %x : (tensor<8xf32>) -> " +
                      type +
                      "\n"
                      "  %r = stablehlo.bitcast_convert %q : (" +
                      type + ") -> tensor<8xi8>\n",
                  "tensor<8xi8>")) == Doubles{3, 4, 4, 2, 7, 127, -128, 0});
  // Its own limits.
  const std::string narrow = "tensor<3x!quant.uniform<i8<-10:10>:f32, 0.5>>";
  CHECK(Run(Program("  %x = stablehlo.constant dense<[-99.0, 2.0, 99.0]> : tensor<3xf32>\n"
                    "  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> " +
                        narrow +
                        "\n"
                        "  %r = stablehlo.bitcast_convert %q : (" +
                        narrow + ") -> tensor<3xi8>\n",
                    "tensor<3xi8>")) == Doubles{-10, 4, 10});
}

TEST_CASE("uniform_dequantize takes the zero point off and scales") {
  CHECK(Run(Program("  %q = stablehlo.constant dense<[3, -128, 127]> : tensor<3x" QUARTERS ">\n"
                    "  %r = stablehlo.uniform_dequantize %q : (tensor<3x" QUARTERS
                    ">) -> tensor<3xf32>\n",
                    "tensor<3xf32>")) == Doubles{0, -32.75, 31});
}

TEST_CASE("Scales along a dimension") {
  const std::string type = "tensor<2x" PER_AXIS ">";
  CHECK(Run(Program("  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>\n"
                    "  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> " +
                        type +
                        "\n"
                        "  %r = stablehlo.bitcast_convert %q : (" +
                        type + ") -> tensor<2xi8>\n",
                    "tensor<2xi8>")) == Doubles{10, 10});
  // To other scales.
  const std::string other = "tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>";
  CHECK(Run(Program("  %x = stablehlo.constant dense<[10, 10]> : tensor<2xi8>\n"
                    "  %p = stablehlo.bitcast_convert %x : (tensor<2xi8>) -> " +
                        type +
                        "\n"
                        "  %q = stablehlo.uniform_quantize %p : (" +
                        type + ") -> " + other +
                        "\n"
                        "  %r = stablehlo.bitcast_convert %q : (" +
                        other + ") -> tensor<2xi8>\n",
                    "tensor<2xi8>")) == Doubles{20, 45});
}

TEST_CASE("Operations compute what quantized operands stand for") {
  const std::string a = "tensor<2x!quant.uniform<i8:f32, 0.1:-30>>",
                    b = "tensor<2x!quant.uniform<i8:f32, 0.5:-20>>";
  CHECK(Run(Program("  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                    "  %y = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
                    "  %p = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> " +
                        a +
                        "\n"
                        "  %q = stablehlo.uniform_quantize %y : (tensor<2xf32>) -> " +
                        b +
                        "\n"
                        "  %s = stablehlo.add %p, %q : (" +
                        a + ", " + b + ") -> " + b +
                        "\n"
                        "  %r = stablehlo.bitcast_convert %s : (" +
                        b + ") -> tensor<2xi8>\n",
                    "tensor<2xi8>")) == Doubles{-12, -8});
  // Products of floats and quantized weights.
  CHECK(
      Run(Program("  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
                  "  %w = stablehlo.constant dense<[[4], [6]]> : "
                  "tensor<2x1x!quant.uniform<i8:f32, 0.5>>\n"
                  "  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
                  "(tensor<1x2xf32>, tensor<2x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1xf32>\n",
                  "tensor<1x1xf32>")) == Doubles{8});
  CHECK(Run(Program("  %w = stablehlo.constant dense<[4, 6]> : tensor<2x" QUARTERS ">\n"
                    "  %v = stablehlo.constant dense<[5, 5]> : tensor<2x" QUARTERS ">\n"
                    "  %r = stablehlo.compare LT, %w, %v : (tensor<2x" QUARTERS
                    ">, tensor<2x" QUARTERS ">) -> tensor<2xi1>\n",
                    "tensor<2xi1>")) == Doubles{1, 0});
}

TEST_CASE("Regions compute with quantized values") {
  // 0.25 + 0.5 + 0.75, from 0.
  const std::string q = "tensor<" QUARTERS ">";
  CHECK(Run(Program("  %x = stablehlo.constant dense<[4, 5, 6]> : tensor<3x" QUARTERS ">\n"
                    "  %z = stablehlo.constant dense<3> : " +
                        q +
                        "\n"
                        "  %s = \"stablehlo.reduce\"(%x, %z) ({\n"
                        "  ^bb0(%a: " +
                        q + ", %b: " + q +
                        "):\n"
                        "    %t = stablehlo.add %a, %b : " +
                        q +
                        "\n"
                        "    stablehlo.return %t : " +
                        q +
                        "\n"
                        "  }) {dimensions = array<i64: 0>} : (tensor<3x" QUARTERS ">, " +
                        q + ") -> " + q +
                        "\n"
                        "  %r = stablehlo.uniform_dequantize %s : (" +
                        q + ") -> tensor<f32>\n",
                    "tensor<f32>")) == Doubles{1.5});
}

TEST_CASE("Quantized types that do not fit") {
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {\n"
                        "  %0 = stablehlo.reverse %a, dims = [0] : "
                        "(tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
                        "tensor<2x!quant.uniform<i8:f32, 0.25>>\n return }")) ==
        "t.mlir:2:8: stablehlo.reverse: an operand of tensor<2xi8> and the result differ in what "
        "their elements stand for");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2xf64>) {\n"
                        "  %0 = stablehlo.uniform_quantize %a : (tensor<2xf64>) -> "
                        "tensor<2x!quant.uniform<i8:f32, 0.5>>\n return }")) ==
        "t.mlir:2:8: stablehlo.uniform_quantize: (C1) quantizes tensor<2xf64>, but the expressed "
        "type is f32");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<3xf32>) {\n"
                        "  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> "
                        "tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>\n return }")) ==
        "t.mlir:2:8: stablehlo.uniform_quantize: 2 scales do not fit dimension 0 of tensor<3xf32>");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {\n"
                        "  %0 = stablehlo.convert %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
                        "tensor<2xf32>\n return }")) ==
        "t.mlir:2:8: stablehlo.convert: quantized values are converted by uniform_quantize and "
        "uniform_dequantize");
}

}  // namespace
}  // namespace sinter
