// Operations over windows, in the forms that StableHLO prints and has printed.
#include <algorithm>

#include "helpers.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

// What the only operation, whose result is %0, becomes: its line in HLO text, metadata aside.
std::string Line(const std::string& args, const std::string& type, const std::string& operation) {
  auto m = Parse("func.func @main(" + args + ") -> " + type + " {\n  %0 = " + operation +
                 "\n  return %0 : " + type + "\n}\n");
  std::string text = Print(*m);
  size_t at = text.rfind("ROOT ");
  return text.substr(at, std::min(text.find(", metadata=", at), text.find('\n', at)) - at);
}

const std::string kAdd =
    "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : "
    "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  })";
const std::string kGe =
    "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.compare GE, %x, %y : "
    "(tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }";

TEST_CASE("reduce_window") {
  const std::string args = "%a: tensor<4x6xf32>, %z: tensor<f32>";
  CHECK(Line(args, "tensor<4x6xf32>",
             "\"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[3, 0], [0, 0]]> : "
             "tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> " +
                 kAdd + " : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>") ==
        "ROOT reduce-window = f32[4,6] reduce-window(a, z), window={size=4x1 pad=3_0x0_0}, "
        "to_apply=main.reduce_window.body");
  // Lists as they were before they became arrays.
  CHECK(Line(args, "tensor<3x3xf32>",
             "\"stablehlo.reduce_window\"(%a, %z) " + kAdd +
                 " {window_dimensions = dense<2> : tensor<2xi64>, window_strides = dense<[1, 2]> : "
                 "tensor<2xi64>, base_dilations = dense<1> : tensor<2xi64>, window_dilations = "
                 "dense<1> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>} : "
                 "(tensor<4x6xf32>, tensor<f32>) -> tensor<3x3xf32>") ==
        "ROOT reduce-window = f32[3,3] reduce-window(a, z), window={size=2x2 stride=1x2}, "
        "to_apply=main.reduce_window.body");
}

TEST_CASE("select_and_scatter") {
  CHECK(Line("%a: tensor<4x6xf32>, %source: tensor<2x3xf32>, %z: tensor<f32>", "tensor<4x6xf32>",
             "\"stablehlo.select_and_scatter\"(%a, %source, %z) <{window_dimensions = array<i64: "
             "2, 2>, "
             "window_strides = array<i64: 2, 2>}> " +
                 kGe + ", " + kAdd.substr(1) +
                 " : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>") ==
        "ROOT select-and-scatter = f32[4,6] select-and-scatter(a, source, z), window={size=2x2 "
        "stride=2x2}, select=main.select_and_scatter.select, "
        "scatter=main.select_and_scatter.scatter");
}

TEST_CASE("convolution") {
  const std::string args = "%a: tensor<1x8x9x4xf32>, %k: tensor<3x3x2x6xf32>";
  const std::string types = " : (tensor<1x8x9x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x8x4x6xf32>";
  const std::string expected =
      "ROOT convolution = f32[1,8,4,6] convolution(a, k), window={size=3x3 stride=1x2 pad=1_1x0_0 "
      "rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2, "
      "operand_precision={highest,default}";
  CHECK(Line(args, "tensor<1x8x4x6xf32>",
             "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
             "window = {stride = [1, 2], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = "
             "[1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = "
             "2 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision "
             "DEFAULT>]}" +
                 types) == expected);
  const std::string generic =
      "window_strides = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, "
      "window_reversal = array<i1: false, true>, feature_group_count = 2 : i64, batch_group_count "
      "= 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision "
      "DEFAULT>], ";
  CHECK(Line(args, "tensor<1x8x4x6xf32>",
             "\"stablehlo.convolution\"(%a, %k) <{" + generic +
                 "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>}>" +
                 types) == expected);
  CHECK(Line(args, "tensor<1x8x4x6xf32>",
             "\"stablehlo.convolution\"(%a, %k) {" + generic +
                 "dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, "
                 "input_feature_dimension = 3, input_spatial_dimensions = [1, 2], "
                 "kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, "
                 "kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, "
                 "output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}" +
                 types) == expected);
  CHECK(Line("%a: tensor<4x3xf32>, %k: tensor<3x5xf32>", "tensor<4x5xf32>",
             "stablehlo.convolution(%a, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
             "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x3xf32>, "
             "tensor<3x5xf32>) -> tensor<4x5xf32>") ==
        "ROOT convolution = f32[4,5] convolution(a, k), dim_labels=bf_io->bf");
}

TEST_CASE("lists of a window that are too short or too long") {
  auto error = [](const std::string& operation) {
    return FirstLine(Error("func.func @main(%a: tensor<4x6xf32>, %z: tensor<f32>) {\n  " +
                           operation + "\n  return\n}\n"));
  };
  auto reduce_window = [&](const std::string& list) {
    return error(
        "%0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 2, 2>, " + list +
        "}> " + kAdd + " : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>");
  };
  CHECK(reduce_window("window_strides = array<i64: 1>")
            .find("(C6) window_strides must have 2 elements, it has 1") != std::string::npos);
  CHECK(reduce_window("base_dilations = array<i64: 1, 1, 1>")
            .find("(C8) base_dilations must have 2 elements, it has 3") != std::string::npos);
  CHECK(reduce_window("window_dilations = array<i64: 1>")
            .find("(C10) window_dilations must have 2 elements, it has 1") != std::string::npos);
  CHECK(reduce_window("padding = dense<0> : tensor<1x2xi64>")
            .find("(C12) padding must have 4 elements, it has 2") != std::string::npos);
  auto select_and_scatter = [&](const std::string& list) {
    return error(
        "%0 = \"stablehlo.select_and_scatter\"(%a, %a, %z) <{window_dimensions = "
        "array<i64: 1, 1>, " +
        list + "}> " + kGe + ", " + kAdd.substr(1) +
        " : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>");
  };
  CHECK(select_and_scatter("window_strides = array<i64: 1>")
            .find("(C6) window_strides must have 2 elements, it has 1") != std::string::npos);
  CHECK(select_and_scatter("padding = dense<0> : tensor<3x2xi64>")
            .find("(C8) padding must have 4 elements, it has 6") != std::string::npos);
  auto convolution = [&](const std::string& window, const std::string& more = "") {
    return error(
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[o, i]->[b, f], window = {" +
        window + "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64" + more +
        "} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>");
  };
  CHECK(convolution("stride = [1]").find("(C2) window_strides must have 0 elements, it has 1") !=
        std::string::npos);
  CHECK(convolution("pad = [[1, 1]]").find("(C4) padding must have 0 elements, it has 2") !=
        std::string::npos);
  CHECK(convolution("lhs_dilate = [1]").find("(C5) lhs_dilation must have 0 elements, it has 1") !=
        std::string::npos);
  CHECK(convolution("rhs_dilate = [1]").find("(C7) rhs_dilation must have 0 elements, it has 1") !=
        std::string::npos);
  CHECK(
      convolution("reverse = [true]").find("(C9) window_reversal must have 0 elements, it has 1") !=
      std::string::npos);
  const std::string precision = "#stablehlo<precision DEFAULT>";
  CHECK(convolution(
            "", ", precision_config = [" + precision + ", " + precision + ", " + precision + "]")
            .find("precision_config has 3 entries for 2 operands") != std::string::npos);
}

TEST_CASE("batch normalisation") {
  CHECK(Line("%a: tensor<4x3xf32>, %s: tensor<3xf32>", "tensor<4x3xf32>",
             "\"stablehlo.batch_norm_inference\"(%a, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : "
             "f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, "
             "tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>") ==
        "ROOT batch-norm-inference = f32[4,3] batch-norm-inference(a, s, s, s, s), epsilon=0.001, "
        "feature_index=1");
  auto m = Parse(
      "func.func @main(%a: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<3xf32>, "
      "tensor<3xf32>) {\n  %0:3 = \"stablehlo.batch_norm_training\"(%a, %s, %s) {epsilon = 0.0 : "
      "f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> "
      "(tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)\n  %1:3 = "
      "\"stablehlo.batch_norm_grad\"(%a, %s, %0#1, %0#2, %a) <{epsilon = 0.0 : f32, feature_index "
      "= 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, "
      "tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)\n  return %1#1, %1#2 : "
      "tensor<3xf32>, tensor<3xf32>\n}\n");
  CHECK(Print(*m).find("batch-norm-grad(a, s, ") != std::string::npos);
}

}  // namespace
}  // namespace sinter
