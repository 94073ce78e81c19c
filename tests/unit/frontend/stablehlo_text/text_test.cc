// Spellings: locations, attributes of other dialects, types.
#include "../stablehlo/helpers.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/parser.h"

namespace sinter {
namespace {

TEST_CASE("Locations in all their forms") {
  auto m = Parse(R"(
    #loc = loc("f.py":0:0)
    #loc7 = loc(#loc8)
    module @m {
      func.func public @main(%a: tensor<f32> loc("a"), %b: tensor<f32> loc(unknown))
          -> (tensor<f32> {x.y}) {
        %0 = stablehlo.add %a, %b : tensor<f32> loc("g.py":3:4)
        %1 = stablehlo.add %0, %b : tensor<f32> loc("g.py":5:4 to 7:2)
        %2 = stablehlo.add %1, %b : tensor<f32> loc("g.py":6:4 to :9)
        %3 = stablehlo.add %2, %b : tensor<f32> loc(callsite("f"("h.py":8:1) at #loc7))
        %4 = stablehlo.add %3, %b : tensor<f32> loc(fused["x"("i.py":9:1), unknown])
        %5 = stablehlo.add %4, %b : tensor<f32> loc(fused<#di.x<a = "]>">>["y", "j.py":10:1])
        %6 = stablehlo.add %5, %b : tensor<f32> loc(#loc9)
        return %6 : tensor<f32> loc(#loc)
      } loc(#loc)
    } loc(#loc)
    #loc8 = loc("k.py":11:1)
    #loc9 = loc("z"(#loc8)))");
  std::vector<Metadata> places;
  for (const HloInstruction* i : m->entry()->PostOrder()) {
    if (i->op() == HloOpcode::Add) places.push_back(i->metadata());
  }
  CHECK(places == std::vector<Metadata>{{"", "g.py", 3},
                                        {"", "g.py", 5},
                                        {"", "g.py", 6},
                                        {"f", "h.py", 8},
                                        {"x", "i.py", 9},
                                        {"y", "j.py", 10},
                                        {"z", "k.py", 11}});
}

TEST_CASE("Attributes that mean nothing here are skipped") {
  auto m = Parse(R"(
    #alias = #other.thing<a = [1, 2], "}", <nested>>
    #map = affine_map<(d0) -> (d0)>
    module attributes {a.b = #alias, c = dense<[1, 2]> : vector<2xi32>, d = array<f32: 1.0, 2.0>,
        e = [#other<x>, @s::@t, "q" : i32, -1 : si8, 1.5e-3 : f64, 0x7FC0 : bf16], f = #map,
        g = {h, i = unit}, j = affine_map<(d0, d1)[s0] -> (d0 + s0)>, k = !other.type<"<">,
        l = distinct[0]<unit>, m = dense_resource<r> : tensor<1xi8>, n = (i32, f32) -> index,
        o = sparse<[[0]], [1.0]> : tensor<2xf32>, p = array<i1>, q = loc("x"), r = tensor<*xf32>,
        s = strided<[1, ?], offset: 2>} {
      func.func @main(%a: tensor<2xf32> {mhlo.layout_mode = "default", mhlo.sharding = "{replicated}",
          jax.arg_info = "x"}) -> (tensor<2xf32> {jax.result_info = "y"})
          attributes {execution_thread = "t", llvm.linkage = #llvm.linkage<external>} {
        %0 = stablehlo.add %a, %a {mhlo.frontend_attributes = {x = "1"}, mhlo.sharding = "",
            other.unit, other.x = #other.y<z>} : tensor<2xf32>
        %1 = "stablehlo.negate"(%0) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0,
            mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<2xf32>) -> tensor<2xf32>
        return %1 : tensor<2xf32>
      }
    }
    {-# dialect_resources: { builtin: { r: "0x0400000001" } },
        external_resources: { mlir_reproducer: { verify_each: true } } #-})");
  CHECK(Dump(*m) == "parameter f32[2]\nadd f32[2] 0 0\nnegate f32[2] 1 ROOT\n");
}

TEST_CASE("Values of constants in all their forms") {
  auto value = [](const std::string& dense, const std::string& type) {
    auto m = Parse("func.func @main() -> " + type + " {\n %0 = stablehlo.constant " + dense +
                   " : " + type + "\n return %0 : " + type +
                   "\n}\n{-# dialect_resources: { builtin: { blob: "
                   "\"0x040000000000803F00000040\" } } #-}");
    return Root(*m)->literal().ToString();
  };
  CHECK(value("dense_resource<blob>", "tensor<2xf32>") == "f32[2] {1, 2}");
  CHECK(value("dense<[(1.0,-2.0), (0x7F800000, 0.5)]>", "tensor<2xcomplex<f32>>") ==
        "c64[2] {(1, -2), (inf, 0.5)}");
  CHECK(value("dense<(1.0,-2.0)>", "tensor<2xcomplex<f64>>") == "c128[2] {(1, -2), (1, -2)}");
  CHECK(value("dense<\"0x05\">", "tensor<4xi1>") == "pred[4] {true, false, true, false}");
  CHECK(value("dense<\"0x01000001\">", "tensor<4xi1>") == "pred[4] {true, false, false, true}");
  CHECK(value("dense<\"0x0000803F00000040\">", "tensor<2xf32>") == "f32[2] {1, 2}");
}

// The type as it is printed, of a function's argument.
std::string Type(const std::string& text) {
  std::string program = "func.func private @f(%a: " + text + ")";
  stablehlo::TextSource source(program, "t.mlir");
  auto parsed = stablehlo::Parser(source).ParseProgram();
  INFO(MessageOf(parsed.status()));
  REQUIRE(parsed.ok());
  return stablehlo::ToText(parsed->functions[0].argument_shapes[0]);
}

TEST_CASE("Types in all their forms") {
  for (const char* type : {
           "tensor<f32>",
           "tensor<2x?x3xbf16>",
           "tensor<?x?xf32, #stablehlo.bounds<?, 4>>",
           "!stablehlo.token",
           "tuple<tensor<2xi1>, tuple<>, !stablehlo.token>",
           "tensor<2xcomplex<f64>>",
           "tensor<2xf8E4M3B11FNUZ>",
           "tensor<4x!quant.uniform<i8:f32, 0.5>>",
           "tensor<4x!quant.uniform<u8<1:200>:bf16, 0.5:3>>",
           "tensor<4x2x!quant.uniform<i4:f32:1, {0.5,0.25:1}>>",
           "tensor<4x4x!quant.uniform<i8:f32:{0:2,1:4}, {{0.5},{0.25:1}}>>",
           "tensor<4x4x!quant.uniform<i8:f32:{0:1,1:2}, "
           "{{0.5,1.0},{0.25,2.0e+20},{1.0,1.0},{3.0,4.0}}>>",
       }) {
    CHECK(Type(type) == type);
  }
  CHECK(Type("tensor<?xf32, #stablehlo.type_extensions<bounds = [8]>>") ==
        "tensor<?xf32, #stablehlo.bounds<8>>");
  CHECK(Type("!stablehlo.future<tensor<2xf32>>") == "tensor<2xf32>");
  CHECK(FirstLine(Error("func.func @main(%a: tensor<4x!quant.uniform<i8:f32:{0:2}, {{1.0},2.0}>>) {"
                        " return }")) ==
        "t.mlir:1:66: expected as many lists around each scale in a quantized type");
}

}  // namespace
}  // namespace sinter
