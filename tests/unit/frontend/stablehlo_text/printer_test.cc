#include "frontend/stablehlo_text/printer.h"

#include "../stablehlo/helpers.h"
#include "ir/analysis/equality.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

std::string Printed(const HloModule& module, const StablehloPrintOptions& options = {}) {
  auto text = PrintStablehlo(module, options);
  return text.ok() ? *text : MessageOf(text.status());
}

std::string FromHlo(std::string_view hlo) {
  auto module = ParseHloText(hlo, "t.hlo");
  return module.ok() ? Printed(**module) : MessageOf(module.status());
}

// The text of the one-line function body that an HLO entry becomes.
std::string Body(std::string_view hlo) {
  std::string text = FromHlo(hlo);
  size_t begin = text.find("{\n", text.find("@main")), end = text.rfind("    return");
  return begin < end && end != text.npos ? text.substr(begin + 2, end - begin - 2) : text;
}

// The value of a constant in StableHLO text.
std::string Constant(std::string_view shape_and_value) {
  std::string_view shape = shape_and_value.substr(0, shape_and_value.find(' '));
  std::string_view value = shape_and_value.substr(shape.size() + 1);
  std::string text =
      Body(Format("HloModule m\nENTRY e {{ ROOT c = {} constant({}) }}", shape, value));
  size_t begin = text.find("dense");
  return begin == text.npos ? text : text.substr(begin, text.find('\n') - begin);
}

TEST_CASE("A function prints with its aliases") {
  CHECK(FromHlo(R"(HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  s = f32[2] add(a, b)
  ROOT t = (f32[2], f32[2]) tuple(b, s)
})") == R"(module @m {
  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %arg1, %0 : tensor<2xf32>, tensor<2xf32>
  }
}
)");
}

TEST_CASE("Composites keep name, attributes and version through both texts") {
  auto m = ParseStablehlo(R"(module @m {
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0:2 = stablehlo.composite "my.op$1" %a {composite_attributes = {s = "x, }", n = [1, 2]}, decomposition = @f, version = 3 : i32} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)
    %1 = stablehlo.composite "my.plain" %0#0 {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
    return %1, %0#1 : tensor<2xf32>, tensor<f32>
  }
  func.func private @f(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %a, %0 : tensor<2xf32>, tensor<f32>
  }
  func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
})",
                          "t.mlir");
  REQUIRE(MessageOf(m.status()) == "");
  const std::string text = Printed(**m);
  CHECK(
      text.find(
          R"(stablehlo.composite "my.op$1" %arg0 {composite_attributes = {s = "x, }", n = [1, 2]}, decomposition = @f, version = 3 : i32} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>))") !=
      text.npos);
  CHECK(text.find(R"(stablehlo.composite "my.plain" %0#0 {decomposition = @g} : )") != text.npos);
  // And by way of HLO text.
  CHECK(FromHlo(Print(**m)) == text);
}

TEST_CASE("Signs of unsigned numbers and permutations of no pairs are such as StableHLO has") {
  CHECK(Body("HloModule m\nENTRY e { a = u8[2] parameter(0) ROOT s = u8[2] sign(a) }") ==
        "    %0 = stablehlo.constant dense<1> : tensor<2xui8>\n"
        "    %1 = stablehlo.minimum %arg0, %0 : tensor<2xui8>\n");
  CHECK(Body("HloModule m\nENTRY e { a = f32[] parameter(0) "
             "ROOT s = f32[] collective-permute(a), source_target_pairs={} }")
            .find("source_target_pairs = dense<> : tensor<0x2xi64>") != std::string::npos);
}

TEST_CASE("An alias of a part of a parameter cannot be printed") {
  CHECK(FromHlo(R"(HloModule m, input_output_alias={ {}: (0, {0}, may-alias) }
ENTRY e {
  a = (f32[2], f32[]) parameter(0)
  ROOT x = f32[2] get-tuple-element(a), index=0
})")
            .find("StableHLO cannot say") == 0);
}

TEST_CASE("The state of a loop prints as its leaves") {
  CHECK(
      Body(R"(HloModule m
cond {
  s = (s32[], (f32[2], pred[])) parameter(0)
  u = (f32[2], pred[]) get-tuple-element(s), index=1
  ROOT p = pred[] get-tuple-element(u), index=1
}
body { ROOT s = (s32[], (f32[2], pred[])) parameter(0) }
ENTRY e {
  s = (s32[], (f32[2], pred[])) parameter(0)
  w = (s32[], (f32[2], pred[])) while(s), condition=cond, body=body
  ROOT i = s32[] get-tuple-element(w), index=0
})") ==
      R"(    %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<i32>, tuple<tensor<2xf32>, tensor<i1>>>) -> tensor<i32>
    %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<i32>, tuple<tensor<2xf32>, tensor<i1>>>) -> tuple<tensor<2xf32>, tensor<i1>>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<2xf32>
    %3 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<i1>
    %4:3 = stablehlo.while(%arg1 = %0, %arg2 = %2, %arg3 = %3) : tensor<i32>, tensor<2xf32>, tensor<i1>
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return %arg1, %arg2, %arg3 : tensor<i32>, tensor<2xf32>, tensor<i1>
    }
)");
}

TEST_CASE("Branches use the values outside") {
  CHECK(Body(R"(HloModule m
yes { a = f32[] parameter(0) ROOT r = f32[] negate(a) }
no { t = (f32[], f32[]) parameter(0) ROOT b = f32[] get-tuple-element(t), index=1 }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  y = f32[] parameter(2)
  t = (f32[], f32[]) tuple(x, y)
  ROOT r = f32[] conditional(p, x, t), true_computation=yes, false_computation=no
})") == R"(    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return %arg2 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
)");
}

TEST_CASE("Reductions print what they apply, or a region") {
  std::string_view hlo = R"(HloModule m
f {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] {} }}
ENTRY e {{
  x = f32[2,3] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[2] reduce(x, z), dimensions={{1}}, to_apply=f
}})";
  CHECK(Body(Format(fmt::runtime(hlo), "add(a, b)")) ==
        "    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = "
        "[1] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n");
  CHECK(Body(Format(fmt::runtime(hlo), "add(b, a)")) ==
        R"(    %0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
)");
}

TEST_CASE("Constants print so that MLIR reads the same bits") {
  CHECK(Constant("f32[] 1") == "dense<1.0> : tensor<f32>");
  CHECK(Constant("f32[3] {1.5, -0, 1e30}") == "dense<[1.5, -0.0, 1.0e+30]> : tensor<3xf32>");
  CHECK(Constant("f32[2] {inf, nan}") == "dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>");
  CHECK(Constant("f32[] nan(0x1)") == "dense<0x7F800001> : tensor<f32>");
  CHECK(Constant("f64[] -inf") == "dense<0xFFF0000000000000> : tensor<f64>");
  CHECK(Constant("bf16[] nan") == "dense<0x7FC0> : tensor<bf16>");
  CHECK(Constant("f8e4m3fn[2] {nan, 0.5}") == "dense<[0x7F, 0.5]> : tensor<2xf8E4M3FN>");
  CHECK(Constant("c64[2] {(1, 2), (inf, 0)}") ==
        "dense<[(1.0,2.0), (0x7F800000,0.0)]> : tensor<2xcomplex<f32>>");
  CHECK(Constant("s32[2,3] {{1,2,3},{4,5,6}}") ==
        "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>");
  CHECK(Constant("u8[2,2] {{7,7},{7,7}}") == "dense<7> : tensor<2x2xui8>");
  CHECK(Constant("pred[2] {true, false}") == "dense<[true, false]> : tensor<2xi1>");
  CHECK(Constant("f32[2,0] {{},{}}") == "dense<> : tensor<2x0xf32>");
  std::string values = "0";
  for (int i = 1; i < 101; ++i) values += Format(", {}", i % 8 - 4);
  CHECK(Constant("s4[101] {" + values + "}").substr(0, 22) == "dense<\"0x000D0E0F00010");
}

TEST_CASE("Tuples are left where a function has one as a parameter") {
  CHECK(
      Body(R"(HloModule m
f { t = (f32[], s32[]) parameter(0) ROOT r = (f32[]) custom-call(t), custom_call_target="g\"h" }
ENTRY e {
  x = f32[] parameter(0)
  y = s32[] parameter(1)
  t = (f32[], s32[]) tuple(x, y)
  c = (f32[]) call(t), to_apply=f
  ROOT r = f32[] get-tuple-element(c), index=0
})") ==
      R"(    %0 = "stablehlo.tuple"(%arg0, %arg1) : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>
    %1 = func.call @f(%0) : (tuple<tensor<f32>, tensor<i32>>) -> tuple<tensor<f32>>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @f(%arg0: tuple<tensor<f32>, tensor<i32>>) -> (tuple<tensor<f32>>) {
    %0 = stablehlo.custom_call @"g\22h"(%arg0) : (tuple<tensor<f32>, tensor<i32>>) -> tuple<tensor<f32>>
)");
}

TEST_CASE("Quantized types print whole") {
  constexpr std::string_view kType = "tensor<2x!quant.uniform<u8<1:200>:f32:0, {0.5:3,1.0e+20}>>";
  // What is read holds the stored integers; a builder's shapes may say what they stand for.
  auto m = ParseStablehlo(
      "func.func @main(%a: tensor<2xui8>) -> tensor<2xui8> {\n"
      "  %0 = stablehlo.reverse %a, dims = [0] : tensor<2xui8>\n"
      "  return %0 : tensor<2xui8> }",
      "t.mlir");
  REQUIRE(m.ok());
  auto quantization = std::make_shared<Quantization>();
  quantization->storage = ElementType::U8;
  quantization->storage_min = 1;
  quantization->storage_max = 200;
  quantization->dimension = 0;
  quantization->scales = {0.5, 1e20};
  quantization->zero_points = {3, 0};
  for (const auto& i : (*m)->entry()->instructions()) {
    Shape shape = i->shape();
    shape.set_quantization(quantization);
    i->set_shape(std::move(shape));
  }
  CHECK(Printed(**m).find(Format("dims = [0] : {}\n", kType)) != std::string::npos);
}

TEST_CASE("Locations print if asked for") {
  auto m = ParseHloText(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] negate(a), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=7}
  c = f32[] negate(b), metadata={op_name="x"}
  ROOT d = f32[] negate(c)
})",
                        "t.hlo");
  REQUIRE(m.ok());
  std::string text = Printed(**m, {.locations = true});
  CHECK(text.find("tensor<f32> loc(\"jit(f)/neg\"(\"f.py\":7:0))\n") != text.npos);
  CHECK(text.find("tensor<f32> loc(\"x\")\n") != text.npos);
  auto again = ParseStablehlo(text, "t.mlir");
  REQUIRE(again.ok());
  CHECK(SameModule(**m, **again));
  const HloInstruction* b = (*again)->entry()->root()->operand(0)->operand(0);
  CHECK(b->metadata() == Metadata{"jit(f)/neg", "f.py", 7, ""});
}

TEST_CASE("What cannot be printed says so") {
  CHECK(FromHlo(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  ROOT w = f32[3,2] windows(a), window={size=2}
})") == "'windows' has no form in StableHLO (w)");
  // Each computation calls the one before twice.
  std::string hlo = "HloModule m\nc0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int i = 1; i <= 30; ++i) {
    hlo += Format(
        "c{} {{ p = f32[] parameter(0) z = s32[] constant(0)\n"
        "  ROOT r = f32[] conditional(z, p, p), branch_computations={{c{}, c{}}} }}\n",
        i, i - 1, i - 1);
  }
  hlo +=
      "ENTRY e { p = f32[] parameter(0) z = s32[] constant(0)\n"
      "  ROOT r = f32[] conditional(z, p), branch_computations={c30} }";
  CHECK(FromHlo(hlo).find("computations are called from so many places") == 0);
}

}  // namespace
}  // namespace sinter
