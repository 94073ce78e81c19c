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
std::string QuantizedProgram(const std::string& body, const std::string& result) {
  return "func.func @main() -> " + result + " {\n" + body + "  return %r : " + result + "\n}";
}

#define QUARTERS "!quant.uniform<i8:f32, 0.25:3>"
#define PER_AXIS "!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>"

TEST_CASE("uniform_quantize divides, moves, limits, rounds to even") {
  const std::string type = "tensor<8x" QUARTERS ">";
  CHECK(Run(QuantizedProgram(
            "  %x = stablehlo.constant dense<[0.0, 0.125, 0.375, -0.125, 1.0, 100.0, -100.0, "
            "0x7FC00000]> : tensor<8xf32>\n"
            "  %q = stablehlo.uniform_quantize %x : (tensor<8xf32>) -> " +
                type +
                "\n"
                "  %r = stablehlo.bitcast_convert %q : (" +
                type + ") -> tensor<8xi8>\n",
            "tensor<8xi8>")) == Doubles{3, 4, 4, 2, 7, 127, -128, 0});
  // Its own limits.
  const std::string narrow = "tensor<3x!quant.uniform<i8<-10:10>:f32, 0.5>>";
  CHECK(Run(QuantizedProgram("  %x = stablehlo.constant dense<[-99.0, 2.0, 99.0]> : tensor<3xf32>\n"
                             "  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> " +
                                 narrow +
                                 "\n"
                                 "  %r = stablehlo.bitcast_convert %q : (" +
                                 narrow + ") -> tensor<3xi8>\n",
                             "tensor<3xi8>")) == Doubles{-10, 4, 10});
}

TEST_CASE("uniform_dequantize takes the zero point off and scales") {
  CHECK(Run(QuantizedProgram(
            "  %q = stablehlo.constant dense<[3, -128, 127]> : tensor<3x" QUARTERS ">\n"
            "  %r = stablehlo.uniform_dequantize %q : (tensor<3x" QUARTERS ">) -> tensor<3xf32>\n",
            "tensor<3xf32>")) == Doubles{0, -32.75, 31});
}

TEST_CASE("Scales along a dimension") {
  const std::string type = "tensor<2x" PER_AXIS ">";
  CHECK(Run(QuantizedProgram("  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>\n"
                             "  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> " +
                                 type +
                                 "\n"
                                 "  %r = stablehlo.bitcast_convert %q : (" +
                                 type + ") -> tensor<2xi8>\n",
                             "tensor<2xi8>")) == Doubles{10, 10});
  // To other scales.
  const std::string other = "tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>";
  CHECK(Run(QuantizedProgram("  %x = stablehlo.constant dense<[10, 10]> : tensor<2xi8>\n"
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
  CHECK(Run(QuantizedProgram("  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
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
  CHECK(Run(QuantizedProgram(
            "  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
            "  %w = stablehlo.constant dense<[[4], [6]]> : "
            "tensor<2x1x!quant.uniform<i8:f32, 0.5>>\n"
            "  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
            "(tensor<1x2xf32>, tensor<2x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1xf32>\n",
            "tensor<1x1xf32>")) == Doubles{8});
  CHECK(Run(QuantizedProgram("  %w = stablehlo.constant dense<[4, 6]> : tensor<2x" QUARTERS ">\n"
                             "  %v = stablehlo.constant dense<[5, 5]> : tensor<2x" QUARTERS ">\n"
                             "  %r = stablehlo.compare LT, %w, %v : (tensor<2x" QUARTERS
                             ">, tensor<2x" QUARTERS ">) -> tensor<2xi1>\n",
                             "tensor<2xi1>")) == Doubles{1, 0});
}

TEST_CASE("Regions compute with quantized values") {
  // 0.25 + 0.5 + 0.75, from 0.
  const std::string q = "tensor<" QUARTERS ">";
  CHECK(Run(QuantizedProgram("  %x = stablehlo.constant dense<[4, 5, 6]> : tensor<3x" QUARTERS ">\n"
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

// Blocks of two columns in each of two rows.
#define BLOCKS "!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5:1, 0.25}, {1.0, 2.0:-2}}>"

TEST_CASE("Scales of blocks") {
  const std::string type = "tensor<2x4x" BLOCKS ">";
  CHECK(Run(QuantizedProgram(
            "  %q = stablehlo.constant dense<[[1, 3, 4, 8], [5, 6, -2, 0]]> : " + type +
                "\n"
                "  %r = stablehlo.uniform_dequantize %q : (" +
                type + ") -> tensor<2x4xf32>\n",
            "tensor<2x4xf32>")) == Doubles{0, 1, 1, 2, 5, 6, 0, 4});
  CHECK(Run(QuantizedProgram(
            "  %x = stablehlo.constant dense<[[0.0, 1.0, 1.0, 2.0], [5.0, 999.0, 0.0, "
            "4.9]]> : tensor<2x4xf32>\n"
            "  %q = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> " +
                type +
                "\n"
                "  %r = stablehlo.bitcast_convert %q : (" +
                type + ") -> tensor<2x4xi8>\n",
            "tensor<2x4xi8>")) == Doubles{1, 3, 4, 8, 5, 127, -2, 0});
  // From blocks to scales of a row, and back to one.
  const std::string rows = "tensor<2x4x!quant.uniform<i8:f32:0, {0.5,0.25}>>";
  CHECK(Run(QuantizedProgram(
            "  %q = stablehlo.constant dense<[[1, 3, 4, 8], [5, 6, -2, 0]]> : " + type +
                "\n"
                "  %s = stablehlo.uniform_quantize %q : (" +
                type + ") -> " + rows +
                "\n"
                "  %r = stablehlo.bitcast_convert %s : (" +
                rows + ") -> tensor<2x4xi8>\n",
            "tensor<2x4xi8>")) == Doubles{0, 2, 2, 4, 20, 24, 0, 16});
}

TEST_CASE("Blocks of 4-bit weights in a product") {
  // Each column of 4 has two scales.
  const std::string weights =
      "tensor<4x2x!quant.uniform<i4:f32:{0:2, 1:1}, {{0.5,1.0},{2.0,4.0}}>>";
  CHECK(Run(QuantizedProgram(
            "  %w = stablehlo.constant dense<[[1, -8], [2, 7], [3, 1], [-4, 2]]> : " + weights +
                "\n"
                "  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>\n"
                "  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
                "(tensor<1x4xf32>, " +
                weights + ") -> tensor<1x2xf32>\n",
            "tensor<1x2xf32>")) == Doubles{-11.5, 50});
  // What computes takes blocks on both sides.
  const std::string a = "tensor<4x!quant.uniform<i8:f32:{0:2}, {0.5,2.0}>>";
  CHECK(Run(QuantizedProgram("  %p = stablehlo.constant dense<[1, 2, 3, 4]> : " + a +
                                 "\n"
                                 "  %s = stablehlo.add %p, %p : " +
                                 a +
                                 "\n"
                                 "  %r = stablehlo.uniform_dequantize %s : (" +
                                 a + ") -> tensor<4xf32>\n",
                             "tensor<4xf32>")) == Doubles{1, 2, 12, 16});
}

// A move of %p, of the type `from` with stored integers 1, 2, ..., to a value of the type `to`.
std::string Moved(const std::string& operation, const std::string& from, const std::string& to) {
  return "func.func @main(%p: " + from + ") -> " + to + " {\n  %r = stablehlo." + operation +
         " : (" + from + ") -> " + to + "\n  return %r : " + to + "\n}";
}

TEST_CASE("What moves values takes their scales along") {
  const std::string blocks = "tensor<2x4x" BLOCKS ">";
  const struct {
    const char *operation, *from, *to;
    bool fits;
  } rows[] = {
      {"transpose %p, dims = [1, 0]",
       "2x4x!quant.uniform<i8:f32:{0:1,1:2}, {{0.5,0.25},{1.0,2.0}}>",
       "4x2x!quant.uniform<i8:f32:{0:2,1:1}, {{0.5,1.0},{0.25,2.0}}>", true},
      {"transpose %p, dims = [1, 0]",
       "2x4x!quant.uniform<i8:f32:{0:1,1:2}, {{0.5,0.25},{1.0,2.0}}>",
       "4x2x!quant.uniform<i8:f32:{0:2,1:1}, {{0.5,0.25},{1.0,2.0}}>", false},
      {"transpose %p, dims = [1, 0]", "2x3x!quant.uniform<i8:f32:0, {0.5,0.25}>",
       "3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>", true},
      {"transpose %p, dims = [1, 0]", "2x2x!quant.uniform<i8:f32:0, {0.5,0.25}>",
       "2x2x!quant.uniform<i8:f32:0, {0.5,0.25}>", false},
      {"reshape %p", "2x4x!quant.uniform<i8:f32:{0:1,1:2}, {{0.5,0.25},{1.0,2.0}}>",
       "8x!quant.uniform<i8:f32:{0:2}, {0.5,0.25,1.0,2.0}>", true},
      {"reshape %p", "2x4x!quant.uniform<i8:f32:{0:1,1:2}, {{0.5,0.25},{1.0,2.0}}>",
       "8x!quant.uniform<i8:f32:{0:2}, {0.5,1.0,0.25,2.0}>", false},
      {"reshape %p", "2x3x4x!quant.uniform<i8:f32:0, {0.5,0.25}>",
       "2x12x!quant.uniform<i8:f32:0, {0.5,0.25}>", true},
      {"reshape %p", "2x3x!quant.uniform<i8:f32:0, {0.5,0.25}>",
       "3x2x!quant.uniform<i8:f32:1, {0.5,0.25}>", false},
      {"broadcast_in_dim %p, dims = [1]", "4x!quant.uniform<i8:f32:{0:2}, {0.5,0.25}>",
       "3x4x!quant.uniform<i8:f32:{1:2}, {{0.5,0.25}}>", true},
      {"broadcast_in_dim %p, dims = [0]", "4x!quant.uniform<i8:f32:{0:2}, {0.5,0.25}>",
       "4x3x!quant.uniform<i8:f32:{1:3}, {{0.5}}>", false},
      {"broadcast_in_dim %p, dims = [0, 1]", "1x2x!quant.uniform<i8:f32:0, {0.5}>",
       "3x2x!quant.uniform<i8:f32:0, {0.5,0.5,0.5}>", true},
      {"broadcast_in_dim %p, dims = [0, 1]", "1x2x!quant.uniform<i8:f32:0, {0.5}>",
       "3x2x!quant.uniform<i8:f32:0, {0.5,0.5,0.25}>", false},
      // Equal scales of another dimension are those of that dimension all the same.
      {"broadcast_in_dim %p, dims = [0, 1]", "1x2x!quant.uniform<i8:f32:0, {0.5}>",
       "3x2x!quant.uniform<i8:f32:1, {0.5,0.5}>", false},
      {"reshape %p", "1x2x3x!quant.uniform<i8:f32:0, {0.5}>",
       "2x1x3x!quant.uniform<i8:f32:1, {0.5}>", false},
      {"reshape %p", "1x2x!quant.uniform<i8:f32:0, {0.5}>", "2x1x!quant.uniform<i8:f32, 0.5>",
       false},
  };
  for (const auto& row : rows) {
    const std::string text =
        Moved(row.operation, Format("tensor<{}>", row.from), Format("tensor<{}>", row.to));
    INFO(text);
    if (row.fits) {
      Parse(text);
    } else {
      CHECK_THAT(Error(text), Catch::Contains("differ in what their elements stand for"));
    }
  }
  CHECK_THAT(Error("func.func @main(%p: " + blocks +
                   ") {\n  %r = stablehlo.reverse %p, dims = [1] : " + blocks + "\n  return\n}"),
             Catch::Contains("operand 0 may not have several scales, it is tensor<2x4x!q"));
}

TEST_CASE("Values of other scales are selected by what they stand for") {
  const std::string a = "tensor<2x!quant.uniform<i8:f32, 0.5>>",
                    b = "tensor<2x!quant.uniform<i8:f32, 0.25:1>>";
  CHECK(Run(QuantizedProgram("  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
                             "  %x = stablehlo.constant dense<[2, 4]> : " +
                                 a + "\n  %y = stablehlo.constant dense<[9, 13]> : " + b +
                                 "\n  %s = \"stablehlo.select\"(%p, %x, %y) : (tensor<2xi1>, " + a +
                                 ", " + b + ") -> " + b +
                                 "\n  %r = stablehlo.uniform_dequantize %s : (" + b +
                                 ") -> tensor<2xf32>\n",
                             "tensor<2xf32>")) == Doubles{1, 3});
}

TEST_CASE("Reductions promote what they reduce to what their computation takes") {
  const std::string narrow = "!quant.uniform<i8:f32, 2.0:15>",
                    wide = "!quant.uniform<i16:f32, 0.5:1>";
  const std::string body = "    %c = stablehlo.add %a, %b : tensor<" + wide +
                           ">\n    stablehlo.return %c : tensor<" + wide + ">\n";
  // 100, 110 and 120 beside an initial value of -30: past what the narrow type holds.
  const std::string operands = "  %x = stablehlo.constant dense<[65, 70, 75]> : tensor<3x" +
                               narrow + ">\n  %i = stablehlo.constant dense<0> : tensor<" + narrow +
                               ">\n";
  const std::string dequantize =
      "  %r = stablehlo.uniform_dequantize %s : (tensor<" + wide + ">) -> tensor<f32>\n";
  CHECK(Run(QuantizedProgram(operands +
                                 "  %s = stablehlo.reduce(%x init: %i) across dimensions = [0] : "
                                 "(tensor<3x" +
                                 narrow + ">, tensor<" + narrow + ">) -> tensor<" + wide +
                                 ">\n   reducer(%a: tensor<" + wide + ">, %b: tensor<" + wide +
                                 ">) {\n" + body + "  }\n" + dequantize,
                             "tensor<f32>")) == Doubles{300});
  CHECK(Run(QuantizedProgram(operands +
                                 "  %w = \"stablehlo.reduce_window\"(%x, %i) <{window_dimensions = "
                                 "array<i64: 3>}> ({\n  ^bb0(%a: tensor<" +
                                 wide + ">, %b: tensor<" + wide + ">):\n" + body +
                                 "  }) : (tensor<3x" + narrow + ">, tensor<" + narrow +
                                 ">) -> tensor<1x" + wide +
                                 ">\n  %s = stablehlo.reshape %w : (tensor<1x" + wide +
                                 ">) -> tensor<" + wide + ">\n" + dequantize,
                             "tensor<f32>")) == Doubles{300});
  CHECK(
      Run(QuantizedProgram("  %x = stablehlo.constant dense<75> : tensor<" + narrow +
                               ">\n"
                               "  %s = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<0> : "
                               "tensor<1x1xi64>}> ({\n  ^bb0(%a: tensor<" +
                               wide + ">, %b: tensor<" + wide + ">):\n" + body + "  }) : (tensor<" +
                               narrow + ">) -> tensor<" + wide + ">\n" + dequantize,
                           "tensor<f32>")) == Doubles{120});
  // One computation combines both of its operands.
  CHECK(Run(QuantizedProgram(
            "  %x = stablehlo.constant dense<75> : tensor<" + narrow +
                ">\n  %y = stablehlo.constant dense<65> : tensor<" + narrow +
                ">\n"
                "  %t:2 = \"stablehlo.collective_reduce\"(%x, %y) <{replica_groups = "
                "dense<0> : tensor<1x1xi64>}> ({\n  ^bb0(%a: tensor<" +
                wide + ">, %b: tensor<" + wide + ">):\n" + body + "  }) : (tensor<" + narrow +
                ">, tensor<" + narrow + ">) -> (tensor<" + wide + ">, tensor<" + wide +
                ">)\n  %s = stablehlo.subtract %t#0, %t#1 : tensor<" + wide + ">\n" + dequantize,
            "tensor<f32>")) == Doubles{20});
}

TEST_CASE("select_and_scatter promotes what it scatters") {
  const std::string narrow = "!quant.uniform<i8:f32, 2.0:15>";
  // Wider integers, and the same ones for other numbers.
  for (const std::string wide :
       {"!quant.uniform<i16:f32, 0.5:1>", "!quant.uniform<i16:f32, 2.0:15>",
        "!quant.uniform<i8:f32, 4.0:-3>", "!quant.uniform<u16:f32, 2.0:400>"}) {
    INFO(wide);
    // Both windows choose 60; 120 and 100 are added to an initial value of -20 there.
    CHECK(Run(QuantizedProgram(
              "  %x = stablehlo.constant dense<[5, 45, -100]> : tensor<3x" + narrow +
                  ">\n  %y = stablehlo.constant dense<[75, 65]> : tensor<2x" + narrow +
                  ">\n  %i = stablehlo.constant dense<5> : tensor<" + narrow +
                  ">\n  %s = \"stablehlo.select_and_scatter\"(%x, %y, %i) <{"
                  "window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({\n"
                  "  ^bb0(%a: tensor<" +
                  narrow + ">, %b: tensor<" + narrow +
                  ">):\n    %c = stablehlo.compare GE, %a, %b : (tensor<" + narrow + ">, tensor<" +
                  narrow +
                  ">) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }, {\n"
                  "  ^bb0(%a: tensor<" +
                  wide + ">, %b: tensor<" + wide +
                  ">):\n    %c = stablehlo.add %a, %b : " + "tensor<" + wide +
                  ">\n    stablehlo.return %c : tensor<" + wide + ">\n  }) : (tensor<3x" + narrow +
                  ">, tensor<2x" + narrow + ">, tensor<" + narrow + ">) -> tensor<3x" + wide +
                  ">\n  %r = stablehlo.uniform_dequantize %s : (tensor<3x" + wide +
                  ">) -> tensor<3xf32>\n",
              "tensor<3xf32>")) == Doubles{-20, 200, -20});
  }
}

TEST_CASE("Constraints of quantized types") {
  auto error = [](const std::string& type) {
    return FirstLine(Error("func.func @main(%a: tensor<" + type + ">) { return }"));
  };
  CHECK_THAT(error("4x!quant.uniform<i8<3:3>:f32, 0.5>"),
             Catch::Contains("stored integers from 3 to 3 are no range of i8"));
  CHECK_THAT(error("4x!quant.uniform<i4<-9:7>:f32, 0.5>"),
             Catch::Contains("stored integers from -9 to 7 are no range of i4"));
  CHECK_THAT(error("4x!quant.uniform<i8:f32, 0.0>"),
             Catch::Contains("a scale is not positive and finite: 0"));
  CHECK_THAT(error("4x!quant.uniform<i8:f16, 1.0e5>"),
             Catch::Contains("(C4) f16 cannot hold the scale 100000"));
  CHECK_THAT(error("4x!quant.uniform<i8:f16, 5.0e-8>"),
             Catch::Contains("(C4) f16 cannot hold the scale 5e-08"));
  Parse("func.func @main(%a: tensor<4x!quant.uniform<i8:f16, 6.0e-8>>) { return }");
  CHECK_THAT(error("4x!quant.uniform<i8<0:9>:f32, 0.5:10>"),
             Catch::Contains("a zero point lies outside the stored integers: 10"));
  CHECK_THAT(error("4x!quant.uniform<i8:f32:1, {0.5}>"),
             Catch::Contains("1 scales do not fit dimension 1 of tensor<4x!quant"));
  CHECK_THAT(error("4x!quant.uniform<i8:f32:{0:3}, {0.5}>"),
             Catch::Contains("blocks of 3 do not divide dimension 0 of tensor<4x!quant"));
  CHECK_THAT(error("4x!quant.uniform<i8:f32:{1:2}, {0.5}>"),
             Catch::Contains("there is no dimension 1 for blocks in tensor<4x!quant"));
  CHECK_THAT(error("4x!quant.uniform<i8:f32:{0:2,0:2}, {0.5,0.5}>"),
             Catch::Contains("dimension 0 has blocks of two sizes"));
  CHECK_THAT(error("4x4x!quant.uniform<i8:f32:{0:2}, {{0.5},{0.5},{0.5}}>"),
             Catch::Contains("need 2x1 scales, given 3x1"));
  CHECK_THAT(error("4x4x!quant.uniform<i8:f32:{0:2}, {0.5,0.5}>"),
             Catch::Contains("stand in 1 dimensions for the 2 of tensor<4x4x!quant"));
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
        "t.mlir:2:8: stablehlo.uniform_quantize: (C2) the operand is of f64, the result "
        "expresses f32");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<3xf32>) {\n"
                        "  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> "
                        "tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>\n return }")) ==
        "t.mlir:2:59: 2 scales do not fit dimension 0 of tensor<3x!quant.uniform<i8:f32:0, "
        "{0.5,0.25}>>");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {\n"
                        "  %0 = stablehlo.convert %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
                        "tensor<2xf32>\n return }")) ==
        "t.mlir:2:8: stablehlo.convert: operand 0 may not be quantized, it is "
        "tensor<2x!quant.uniform<i8:f32, 0.5>>");
}

#undef QUARTERS
#undef PER_AXIS
#undef BLOCKS

}  // namespace
}  // namespace sinter
