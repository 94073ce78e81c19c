#include "helpers.h"

namespace sinter {
namespace {

// The literal of a constant, or the error's first line with its column counted from the value.
std::string ConstantText(const std::string& value, const std::string& type,
                         const std::string& rest = "") {
  std::string text = Format(
      "func.func @main() -> {} {{ %0 = stablehlo.constant {} : {} return %0 "
      ": {} }}\n{}",
      type, value, type, type, rest);
  auto m = ParseStablehlo(text, "t.mlir");
  if (!m.ok()) {
    std::string error = FirstLine(MessageOf(m.status()));
    size_t colon = error.find(':', 9);
    int column = std::stoi(error.substr(9)) - static_cast<int>(text.find(value));
    return Format("{}{}", column, error.substr(colon));
  }
  return (*m)->entry()->root()->literal().ToString();
}

TEST_CASE("Constants in every form") {
  CHECK(ConstantText("dense<[1, -2, 0x10]>", "tensor<3xi32>") == "s32[3] {1, -2, 16}");
  CHECK(ConstantText("dense<[[1, 2, 3], [4, 5, 6]]>", "tensor<2x3xi64>") ==
        "s64[2,3] {{1, 2, 3}, {4, 5, 6}}");
  CHECK(ConstantText("dense<7>", "tensor<2x2xui8>") == "u8[2,2] {{7, 7}, {7, 7}}");
  CHECK(ConstantText("dense<255>", "tensor<i8>") == "s8[] -1");
  CHECK(ConstantText("dense<[-8, 7]>", "tensor<2xi4>") == "s4[2] {-8, 7}");
  CHECK(ConstantText("dense<15>", "tensor<ui4>") == "u4[] 15");
  CHECK(ConstantText("dense<[true, false]>", "tensor<2xi1>") == "pred[2] {true, false}");
  CHECK(ConstantText("dense<[1.5, -2.000000e+00, 1.0E-3]>", "tensor<3xf32>") ==
        "f32[3] {1.5, -2, 0.001}");
  CHECK(ConstantText("dense<[0x7F800000, 0xFF800000, 0x3FC00000]>", "tensor<3xf32>") ==
        "f32[3] {inf, -inf, 1.5}");
  CHECK(ConstantText("dense<[inf, -inf]>", "tensor<2xf64>") == "f64[2] {inf, -inf}");
  CHECK(ConstantText("dense<0xFC00>", "tensor<f16>") == "f16[] -inf");
  CHECK(ConstantText("dense<1.1>", "tensor<bf16>") == "bf16[] 1.1");
  CHECK(ConstantText("dense<0x38>", "tensor<f8E4M3FN>") == "f8e4m3fn[] 1");
  CHECK(ConstantText("dense<(1.0, -2.5)>", "tensor<complex<f32>>") == "c64[] (1, -2.5)");
  CHECK(ConstantText("dense<[(1.0,2.0), (3.0,0x7FF0000000000000)]>", "tensor<2xcomplex<f64>>") ==
        "c128[2] {(1, 2), (3, inf)}");
  CHECK(ConstantText("dense<1.0e400>", "tensor<f64>") == "f64[] inf");
  CHECK(ConstantText("dense<1.0e-400>", "tensor<f64>") == "f64[] 0");
  CHECK(ConstantText("dense<>", "tensor<0xf32>") == "f32[0] {}");
  CHECK(ConstantText("dense<[[], []]>", "tensor<2x0xf32>") == "f32[2,0] {{}, {}}");
  CHECK(ConstantText("dense<\"0x0000803F00000040\">", "tensor<2xf32>") == "f32[2] {1, 2}");
  CHECK(ConstantText("dense<\"0x0000803F\">", "tensor<3xf32>") == "f32[3] {1, 1, 1}");
  CHECK(ConstantText("dense<\"0x05\">", "tensor<3xi1>") == "pred[3] {true, false, true}");
  CHECK(ConstantText("dense<\"0x0001010001000100010101\">", "tensor<11xi1>") ==
        "pred[11] {false, true, true, false, true, false, true, false, true, true, true}");
  CHECK(ConstantText("dense<\"0x0F08\">", "tensor<2xi4>") == "s4[2] {-1, -8}");
  CHECK(ConstantText("dense_resource<blob>", "tensor<2xi16>",
                     "{-# dialect_resources: { builtin: { blob: \"0x0200000001000200\" } } #-}") ==
        "s16[2] {1, 2}");
}

TEST_CASE("Constants that are wrong") {
  auto at = [](int column, const char* what) { return Format("{}: {}", column, what); };
  CHECK(ConstantText("dense<[1, 2]>", "tensor<3xi32>") ==
        at(13, "the nested lists do not have the shape of tensor<3xi32>"));
  CHECK(ConstantText("dense<[[1], [2, 3]]>", "tensor<2x1xi32>") ==
        at(17, "the nested lists do not have the shape of tensor<2x1xi32>"));
  CHECK(ConstantText("dense<300>", "tensor<i8>") == at(7, "the integer does not fit into 8 bits"));
  CHECK(ConstantText("dense<x>", "tensor<f32>") == at(7, "expected a number"));
  CHECK(ConstantText("dense<2>", "tensor<i1>") == at(7, "expected 'true' or 'false'"));
  CHECK(ConstantText("dense<\"0x00\">", "tensor<2xf32>") ==
        at(7, "1 bytes of data for tensor<2xf32>"));
  CHECK(ConstantText("dense<\"0x0G\">", "tensor<1xi8>") ==
        at(7, "expected \"0x\" and pairs of hexadecimal digits"));
  CHECK(ConstantText("dense<1>", "tensor<?xi32>") ==
        at(12, "a constant must have a static tensor type, not tensor<?xi32>"));
  CHECK(ConstantText("dense_resource<gone>", "tensor<1xi8>") ==
        at(1, "there is no resource 'gone'"));
}

TEST_CASE("A large splat is a broadcast and needs no memory") {
  auto m = Parse(
      "func.func @main() -> tensor<4000000000x1000xf32> { %0 = stablehlo.constant "
      "dense<1.0> : tensor<4000000000x1000xf32> return %0 : "
      "tensor<4000000000x1000xf32> }");
  CHECK(Dump(*m) == "constant f32[]\nbroadcast f32[4000000000,1000] 0 ROOT\n");
}

TEST_CASE("Types") {
  auto shape = [](const std::string& type) {
    auto m = Parse(Format("func.func @main(%a: {}) -> {} {{ return %a : {} }}", type, type, type));
    return m->entry()->root()->shape();
  };
  CHECK(shape("tensor<f32>").ToString() == "f32[]");
  CHECK(shape("tensor<2x3xsi8>").ToString() == "s8[2,3]");
  CHECK(shape("tensor<1xi2>").ToString() == "s2[1]");
  CHECK(shape("tensor<1xf8E5M2FNUZ>").ToString() == "f8e5m2fnuz[1]");
  CHECK(shape("tensor<1xf4E2M1FN>").ToString() == "f4e2m1fn[1]");
  CHECK(shape("tensor<complex<f64>>").ToString() == "c128[]");
  CHECK(shape("tensor<2xindex>").ToString() == "s64[2]");
  CHECK(shape("!stablehlo.token").ToString() == "token[]");
  CHECK(shape("tuple<tensor<f32>, tuple<>>").ToString() == "(f32[], ())");
  CHECK(shape("tensor<2x?xf32, #stablehlo.bounds<?, 5>>").ToString() == "f32[2,<=5]");
  CHECK(shape("tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>").ToString() == "f32[<=4]");

  CHECK(shape("tensor<2x!quant.uniform<i8<-10:10>:f32:0, {0.5:3, 0.25}>>").ToString() == "s8[2]");
}

TEST_CASE("Constants of quantized types have the type of their stored integers beside") {
  constexpr std::string_view kType = "tensor<2x!quant.uniform<i8:f32, 2.0:15>>";
  for (std::string_view value :
       {"() <{value = dense<[1, 2]> : tensor<2xi8>}>", "() {value = dense<[1, 2]> : tensor<2xi8>}",
        "() <{value = dense<[1, 2]> : tensor<2xi8>}> {attr = 1 : i32}"}) {
    auto m =
        Parse(Format("func.func @main() -> {0} {{\n"
                     "  %0 = stablehlo.constant{1} : () -> {0}\n  return %0 : {0}\n}}",
                     kType, value));
    CHECK(m->entry()->root()->shape().ToString() == "s8[2]");
  }
}

}  // namespace
}  // namespace sinter
