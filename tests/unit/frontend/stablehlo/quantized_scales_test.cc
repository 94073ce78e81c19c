// Scales along a dimension and scales of blocks, in each operation of the specification that takes
// or gives them: against the same operation on what the stored integers stand for.
#include <random>

#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

struct TypeOfValue {
  const char *dims, *element;  // "2x3x", "!quant.uniform<i8:f32:0, {0.5,0.25}>" or "f32"
};

struct ScalesRow {
  const char* name;
  std::vector<TypeOfValue> operands;  // %0, %1, ...
  TypeOfValue result;                 // %r
  const char* body;                   // $0, $1, ... and $r are types
};

bool IsQuantized(const TypeOfValue& value) { return value.element[0] == '!'; }

std::string TypeOf(const TypeOfValue& value, bool quantized) {
  return Format("tensor<{}{}>", value.dims, quantized ? value.element : "f32");
}
// As the program takes and gives it.
std::string StoredType(const TypeOfValue& value) {
  return Format("tensor<{}{}>", value.dims, IsQuantized(value) ? "i8" : "f32");
}

// From stored integers to stored integers, by the operation on quantized values or on floats.
std::string ScalesProgram(const ScalesRow& row, bool quantized) {
  std::string text = "func.func @main(", body = row.body;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const TypeOfValue& value = row.operands[i];
    const bool is_float = !IsQuantized(value);
    text += Format("{}%{}{}: {}", i ? ", " : "", is_float ? "" : "s", i, StoredType(value));
    body = Replaced(body, Format("${}", i), TypeOf(value, quantized && !is_float));
  }
  text += Format(") -> {} {{\n", StoredType(row.result));
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const TypeOfValue& value = row.operands[i];
    if (!IsQuantized(value)) continue;
    const std::string type = TypeOf(value, true);
    text += Format("  %{}{} = stablehlo.bitcast_convert %s{} : ({}) -> {}\n", quantized ? "" : "q",
                   i, i, StoredType(value), type);
    if (!quantized) {
      text += Format("  %{} = stablehlo.uniform_dequantize %q{} : ({}) -> {}\n", i, i, type,
                     TypeOf(value, false));
    }
  }
  const bool of_floats = !IsQuantized(row.result);
  text += Replaced(body, "$r", TypeOf(row.result, quantized && !of_floats));
  const std::string type = TypeOf(row.result, true), stored = StoredType(row.result);
  if (of_floats) return text + Format("  return %r : {}\n}}", stored);
  if (!quantized) {
    text += Format("  %rq = stablehlo.uniform_quantize %r : ({}) -> {}\n",
                   TypeOf(row.result, false), type);
  }
  text += Format("  %rs = stablehlo.bitcast_convert {} : ({}) -> {}\n", quantized ? "%r" : "%rq",
                 type, stored);
  return text + Format("  return %rs : {}\n}}", stored);
}

void CheckScalesRow(const ScalesRow& row) {
  INFO(row.name);
  std::mt19937 random(7);
  const std::string text = ScalesProgram(row, true);
  INFO(text);
  auto module = Parse(text);
  for (int round = 0; round < 4; ++round) {
    std::vector<Literal> arguments;
    for (const HloInstruction* parameter : module->entry()->parameters()) {
      Literal x(parameter->shape());
      const auto draw = [&] { return static_cast<int>(random() % 16) - 2; };
      if (x.shape().element_type() == ElementType::S8) {
        for (int8_t& v : x.data<int8_t>()) v = static_cast<int8_t>(draw());
      } else {
        for (float& v : x.data<float>()) v = static_cast<float>(draw()) / 4;
      }
      arguments.push_back(std::move(x));
    }
    CHECK(RunOn(text, arguments) == RunOn(ScalesProgram(row, false), arguments));
  }
}

#define ONE "!quant.uniform<i8:f32, 0.5:3>"
// Of 2 rows, of 3 columns, of rows of 4 in blocks of 2.
#define ROWS "!quant.uniform<i8:f32:0, {0.5:1,0.25:-2}>"
#define COLUMNS "!quant.uniform<i8:f32:1, {0.5,0.25:1,2.0:-1}>"
#define BLOCKS "!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5:1,0.25},{1.0,2.0:-2}}>"
#define TURNED "!quant.uniform<i8:f32:{0:2, 1:1}, {{0.5:1,1.0},{0.25,2.0:-2}}>"
#define CENTRED "!quant.uniform<i8:f32:{0:2, 1:1}, {{0.5,1.0},{0.25,2.0}}>"

#define CONVOLVE(numbers, groups)                                                        \
  "  %r = stablehlo.convolution(%0, %1) dim_numbers = " numbers ", window = {} {" groups \
  "} : ($0, "                                                                            \
  "$1) -> $r\n"
#define ONE_GROUP "batch_group_count = 1 : i64, feature_group_count = 1 : i64"

const ScalesRow kScalesRows[] = {
    {"add of rows",
     {{"2x3x", ROWS}, {"2x3x", ROWS}},
     {"2x3x", ROWS},
     "  %r = stablehlo.add %0, %1 : ($0, $1) -> $r\n"},
    {"add of blocks",
     {{"2x4x", BLOCKS}, {"2x4x", BLOCKS}},
     {"2x4x", BLOCKS},
     "  %r = stablehlo.add %0, %1 : ($0, $1) -> $r\n"},
    {"add of rows to blocks",
     {{"2x4x", ROWS}, {"2x4x", BLOCKS}},
     {"2x4x", ROWS},
     "  %r = stablehlo.add %0, %1 : ($0, $1) -> $r\n"},
    {"dot_general",
     {{"2x4x", ONE}, {"4x3x", "!quant.uniform<i8:f32, 0.25>"}},
     {"2x3x", ONE},
     "  %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ($0, $1) -> $r\n"},
    {"dot_general with a scale a column",
     {{"2x4x", ONE}, {"4x3x", "!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>"}},
     {"2x3x", ONE},
     "  %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ($0, $1) -> $r\n"},
    {"dot_general to a scale a column",
     {{"2x4x", ONE}, {"4x3x", "!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>"}},
     {"2x3x", COLUMNS},
     "  %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ($0, $1) -> $r\n"},
    {"dot_general with blocks",
     {{"3x4x", ONE}, {"4x2x", CENTRED}},
     {"3x2x", ONE},
     "  %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ($0, $1) -> $r\n"},
    {"dot_general of floats with a scale a column",
     {{"2x4x", "f32"}, {"4x3x", "!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>"}},
     {"2x3x", "f32"},
     "  %r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ($0, $1) -> $r\n"},
    {"dot_general with batches",
     {{"2x3x4x", ONE}, {"2x4x3x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0}>"}},
     {"2x3x3x", ONE},
     "  %r = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x "
     "[1] : ($0, $1) -> $r\n"},
    {"dot with a scale a column",
     {{"2x4x", ONE}, {"4x3x", "!quant.uniform<i8:f32:1, {0.5,0.25,2.0}>"}},
     {"2x3x", ONE},
     "  %r = stablehlo.dot %0, %1 : ($0, $1) -> $r\n"},
    {"convolution with a scale an output feature",
     {{"1x5x2x", ONE}, {"3x2x3x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0}>"}},
     {"1x3x3x", ONE},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]", ONE_GROUP)},
    {"convolution to a scale an output feature",
     {{"1x5x2x", ONE}, {"3x2x3x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0}>"}},
     {"1x3x3x", "!quant.uniform<i8:f32:2, {0.5:1,0.25:2,4.0:-3}>"},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]", ONE_GROUP)},
    {"convolution with the output features in front",
     {{"1x2x5x", ONE}, {"3x2x3x", "!quant.uniform<i8:f32:0, {0.5,0.25,2.0}>"}},
     {"1x3x3x", "!quant.uniform<i8:f32:1, {0.5:1,0.25:2,4.0:-3}>"},
     CONVOLVE("[b, f, 0]x[o, i, 0]->[b, f, 0]", ONE_GROUP)},
    {"convolution of floats with a scale an output feature",
     {{"1x5x2x", "f32"}, {"3x2x3x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0}>"}},
     {"1x3x3x", "f32"},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]", ONE_GROUP)},
    {"convolution with groups of features",
     {{"1x5x4x", ONE}, {"3x2x4x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0,1.0}>"}},
     {"1x3x4x", ONE},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]",
              "batch_group_count = 1 : i64, feature_group_count = 2 : i64")},
    {"convolution with groups of batches",
     {{"2x5x2x", ONE}, {"3x2x4x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0,1.0}>"}},
     {"1x3x4x", ONE},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]",
              "batch_group_count = 2 : i64, feature_group_count = 1 : i64")},
    {"convolution with padding, strides and dilation",
     {{"1x5x5x2x", ONE}, {"2x3x2x3x", "!quant.uniform<i8:f32:3, {0.5,0.25,2.0}>"}},
     {"1x3x5x3x", ONE},
     "  %r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
     "window = {stride = [2, 1], pad = [[1, 0], [2, 2]], rhs_dilate = [1, 2]} {" ONE_GROUP
     "} : ($0, $1) -> $r\n"},
    {"convolution with blocks of input features",
     {{"1x5x4x", ONE}, {"1x4x2x", "!quant.uniform<i8:f32:{1:2, 2:1}, {{{0.5,1.0},{0.25,2.0}}}>"}},
     {"1x5x2x", ONE},
     CONVOLVE("[b, 0, f]x[0, i, o]->[b, 0, f]", ONE_GROUP)},
    {"dynamic_conv with a scale an output feature",
     {{"1x5x2x", ONE}, {"3x2x3x", "!quant.uniform<i8:f32:2, {0.5,0.25,2.0}>"}},
     {"1x5x3x", ONE},
     "  %p = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi64>\n"
     "  %r = \"stablehlo.dynamic_conv\"(%0, %1, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, "
     "f]x[0, i, o]->[b, 0, f]>, " ONE_GROUP "}> : ($0, $1, tensor<1x2xi64>) -> $r\n"},
    {"broadcast_in_dim of rows",
     {{"2x1x", ROWS}},
     {"3x2x4x", "!quant.uniform<i8:f32:1, {0.5:1,0.25:-2}>"},
     "  %r = stablehlo.broadcast_in_dim %0, dims = [1, 2] : ($0) -> $r\n"},
    {"broadcast_in_dim of blocks",
     {{"2x4x", BLOCKS}},
     {"3x2x4x", "!quant.uniform<i8:f32:{1:1, 2:2}, {{{0.5:1,0.25},{1.0,2.0:-2}}}>"},
     "  %r = stablehlo.broadcast_in_dim %0, dims = [1, 2] : ($0) -> $r\n"},
    {"dynamic_broadcast_in_dim of rows",
     {{"2x1x", ROWS}},
     {"3x2x4x", "!quant.uniform<i8:f32:1, {0.5:1,0.25:-2}>"},
     "  %n = stablehlo.constant dense<[3, 2, 4]> : tensor<3xi64>\n"
     "  %r = stablehlo.dynamic_broadcast_in_dim %0, %n, dims = [1, 2] : ($0, tensor<3xi64>) -> "
     "$r\n"},
    {"reshape of rows",
     {{"2x6x", ROWS}},
     {"2x3x2x", ROWS},
     "  %r = stablehlo.reshape %0 : ($0) -> $r\n"},
    {"reshape of blocks",
     {{"2x4x", BLOCKS}},
     {"8x", "!quant.uniform<i8:f32:{0:2}, {0.5:1,0.25,1.0,2.0:-2}>"},
     "  %r = stablehlo.reshape %0 : ($0) -> $r\n"},
    {"dynamic_reshape of rows",
     {{"2x6x", ROWS}},
     {"2x3x2x", ROWS},
     "  %n = stablehlo.constant dense<[2, 3, 2]> : tensor<3xi64>\n"
     "  %r = stablehlo.dynamic_reshape %0, %n : ($0, tensor<3xi64>) -> $r\n"},
    {"transpose of rows",
     {{"2x3x", ROWS}},
     {"3x2x", "!quant.uniform<i8:f32:1, {0.5:1,0.25:-2}>"},
     "  %r = stablehlo.transpose %0, dims = [1, 0] : ($0) -> $r\n"},
    {"transpose of blocks",
     {{"2x4x", BLOCKS}},
     {"4x2x", TURNED},
     "  %r = stablehlo.transpose %0, dims = [1, 0] : ($0) -> $r\n"},
    {"tuple of rows and blocks",
     {{"2x3x", ROWS}, {"2x4x", BLOCKS}},
     {"2x4x", BLOCKS},
     "  %t = stablehlo.tuple %0, %1 : tuple<$0, $1>\n"
     "  %r = stablehlo.get_tuple_element %t[1] : (tuple<$0, $1>) -> $r\n"},
    {"if of columns",
     {{"2x3x", COLUMNS}, {"2x3x", COLUMNS}},
     {"2x3x", COLUMNS},
     "  %p = stablehlo.constant dense<false> : tensor<i1>\n"
     "  %r = \"stablehlo.if\"(%p) ({\n    stablehlo.return %0 : $0\n  }, {\n"
     "    stablehlo.return %1 : $1\n  }) : (tensor<i1>) -> $r\n"},
    {"case of blocks",
     {{"2x4x", BLOCKS}, {"2x4x", BLOCKS}},
     {"2x4x", BLOCKS},
     "  %p = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %r = \"stablehlo.case\"(%p) ({\n    stablehlo.return %0 : $0\n  }, {\n"
     "    stablehlo.return %1 : $1\n  }) : (tensor<i32>) -> $r\n"},
    {"while of rows",
     {{"2x3x", ROWS}},
     {"2x3x", ROWS},
     "  %n = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %w:2 = stablehlo.while(%i = %n, %v = %0) : tensor<i32>, $0\n   cond {\n"
     "    %l = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %c = stablehlo.compare LT, %i, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1>\n  } do {\n"
     "    %l = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %m = stablehlo.add %i, %l : tensor<i32>\n"
     "    %y = stablehlo.add %v, %v : $0\n"
     "    stablehlo.return %m, %y : tensor<i32>, $0\n  }\n"
     "  %t = stablehlo.tuple %w#1 : tuple<$0>\n"
     "  %r = stablehlo.get_tuple_element %t[0] : (tuple<$0>) -> $0\n"},
};

TEST_CASE("Operations on values with scales of parts") {
  for (const ScalesRow& row : kScalesRows) CheckScalesRow(row);
}

#undef ONE
#undef ROWS
#undef COLUMNS
#undef BLOCKS
#undef TURNED
#undef CENTRED
#undef CONVOLVE
#undef ONE_GROUP

}  // namespace
}  // namespace sinter
