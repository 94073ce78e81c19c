// Each operation of the specification that takes quantized values: against the same operation on
// what they stand for, or, where values only move, on the stored integers.
#include <random>

#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

constexpr std::string_view kScaled = "!quant.uniform<i8:f32, 0.25:3>";

enum class As { kFloats, kStored };

struct PerTensorRow {
  const char* name;
  As as;
  std::vector<Dims> operands;  // %0, %1, ...
  Dims result;                 // %r
  const char* body;            // $ is the element type, # the folder of a unary name
  const char* result_type = "$";
};

std::string TensorText(const Dims& dims, std::string_view element) {
  std::string out = "tensor<";
  for (int64_t d : dims) out += Format("{}x", d);
  return out + std::string(element) + ">";
}

// From stored integers to stored integers by way of values of type `element`.
std::string PerTensorProgram(const PerTensorRow& row, std::string_view element) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < row.operands.size(); ++i)
    text += Format("{}%s{}: {}", i ? ", " : "", i, TensorText(row.operands[i], "i8"));
  const bool numbers = row.result_type == std::string_view("$");
  const std::string_view given = numbers ? "i8" : row.result_type;
  text += Format(") -> {} {{\n", TensorText(row.result, given));
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const std::string stored = TensorText(row.operands[i], "i8"),
                      scaled = TensorText(row.operands[i], kScaled);
    if (element == "i8") {
      text += Format("  %{} = stablehlo.reverse %s{}, dims = [] : {}\n", i, i, stored);
      continue;
    }
    const bool floats = element == "f32";
    text += Format("  %{}{} = stablehlo.bitcast_convert %s{} : ({}) -> {}\n", floats ? "q" : "", i,
                   i, stored, scaled);
    if (floats) {
      text += Format("  %{} = stablehlo.uniform_dequantize %q{} : ({}) -> {}\n", i, i, scaled,
                     TensorText(row.operands[i], "f32"));
    }
  }
  text += Replaced(row.body, "$", element);
  const std::string scaled = TensorText(row.result, kScaled), stored = TensorText(row.result, "i8");
  if (!numbers || element == "i8")
    return text + Format("  return %r : {}\n}}", TensorText(row.result, given));
  if (element == "f32") {
    text += Format("  %rq = stablehlo.uniform_quantize %r : ({}) -> {}\n",
                   TensorText(row.result, "f32"), scaled);
  }
  text += Format("  %rs = stablehlo.bitcast_convert {} : ({}) -> {}\n",
                 element == "f32" ? "%rq" : "%r", scaled, stored);
  return text + Format("  return %rs : {}\n}}", stored);
}

void CheckPerTensorRow(const PerTensorRow& row) {
  INFO(row.name);
  std::mt19937 random(7);
  for (int round = 0; round < 4; ++round) {
    std::vector<Literal> arguments;
    for (const Dims& dims : row.operands) {
      Literal x(Shape(ElementType::S8, dims));
      // Small, so that sums and products stay within what is stored.
      for (int8_t& v : x.data<int8_t>())
        v = static_cast<int8_t>(static_cast<int>(random() % 16) - 2);
      arguments.push_back(std::move(x));
    }
    const std::string text = PerTensorProgram(row, kScaled);
    INFO(text);
    CHECK(RunOn(text, arguments) ==
          RunOn(PerTensorProgram(row, row.as == As::kFloats ? "f32" : "i8"), arguments));
  }
}

TEST_CASE("Elementwise operations on quantized values") {
  for (const char* name :
       {"abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log",
        "log_plus_one", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt",
        "sign", "sine", "sqrt", "tan", "tanh"}) {
    const std::string body =
        Format("  %r = \"stablehlo.{}\"(%0) : (tensor<6x$>) -> tensor<6x$>\n", name);
    CheckPerTensorRow({name, As::kFloats, {{6}}, {6}, body.c_str()});
  }
  for (const char* name : {"add", "atan2", "divide", "maximum", "minimum", "multiply", "power",
                           "remainder", "subtract"}) {
    const std::string body = Format(
        "  %r = \"stablehlo.{}\"(%0, %1) : (tensor<6x$>, tensor<6x$>) -> tensor<6x$>\n", name);
    CheckPerTensorRow({name, As::kFloats, {{6}, {6}}, {6}, body.c_str()});
  }
}

const PerTensorRow kPerTensorRows[] = {
    {"clamp",
     As::kFloats,
     {{}, {6}, {6}},
     {6},
     "  %r = stablehlo.clamp %0, %1, %2 : (tensor<$>, tensor<6x$>, tensor<6x$>) -> tensor<6x$>\n"},
    {"compare",
     As::kFloats,
     {{6}, {6}},
     {6},
     "  %r = stablehlo.compare LE, %0, %1 : (tensor<6x$>, tensor<6x$>) -> tensor<6xi1>\n",
     "i1"},
    {"is_finite",
     As::kFloats,
     {{6}},
     {6},
     "  %r = stablehlo.is_finite %0 : (tensor<6x$>) -> tensor<6xi1>\n",
     "i1"},
    {"reduce_precision",
     As::kFloats,
     {{6}},
     {6},
     "  %r = stablehlo.reduce_precision %0, format = e5m1 : tensor<6x$>\n"},
    {"iota", As::kFloats, {{2}}, {3, 2}, "  %r = stablehlo.iota dim = 0 : tensor<3x2x$>\n"},
    {"dynamic_iota",
     As::kFloats,
     {{2}},
     {3, 2},
     "  %n = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
     "  %r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<3x2x$>\n"},
    {"cholesky",
     As::kFloats,
     {{1, 1}},
     {1, 1},
     "  %r = stablehlo.cholesky %0, lower = true : tensor<1x1x$>\n"},
    {"triangular_solve",
     As::kFloats,
     {{2, 2}, {2, 3}},
     {2, 3},
     "  %r = \"stablehlo.triangular_solve\"(%0, %1) <{left_side = true, lower = true, "
     "unit_diagonal "
     "= true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2x$>, tensor<2x3x$>) "
     "-> tensor<2x3x$>\n"},
    {"batch_norm_inference",
     As::kFloats,
     {{3, 2}, {2}, {2}, {2}, {2}},
     {3, 2},
     "  %r = \"stablehlo.batch_norm_inference\"(%0, %1, %2, %3, %4) <{epsilon = 4.0 : f32, "
     "feature_index = 1 : i64}> : (tensor<3x2x$>, tensor<2x$>, tensor<2x$>, tensor<2x$>, "
     "tensor<2x$>) -> tensor<3x2x$>\n"},
    {"batch_norm_training",
     As::kFloats,
     {{3, 2}, {2}, {2}},
     {3, 2},
     "  %r, %m, %v = \"stablehlo.batch_norm_training\"(%0, %1, %2) <{epsilon = 4.0 : f32, "
     "feature_index = 1 : i64}> : (tensor<3x2x$>, tensor<2x$>, tensor<2x$>) -> (tensor<3x2x$>, "
     "tensor<2x$>, tensor<2x$>)\n"},
    {"batch_norm_grad",
     As::kFloats,
     {{3, 2}, {2}, {2}, {2}, {3, 2}},
     {3, 2},
     "  %r, %m, %v = \"stablehlo.batch_norm_grad\"(%0, %1, %2, %3, %4) <{epsilon = 4.0 : f32, "
     "feature_index = 1 : i64}> : (tensor<3x2x$>, tensor<2x$>, tensor<2x$>, tensor<2x$>, "
     "tensor<3x2x$>) -> (tensor<3x2x$>, tensor<2x$>, tensor<2x$>)\n"},
    {"convolution",
     As::kFloats,
     {{1, 5, 2}, {3, 2, 1}},
     {1, 3, 1},
     "  %r = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
     "{} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x2x$>, "
     "tensor<3x2x1x$>) -> tensor<1x3x1x$>\n"},
    {"select",
     As::kStored,
     {{6}, {6}},
     {6},
     "  %p = stablehlo.constant dense<[true, false, true, true, false, false]> : tensor<6xi1>\n"
     "  %r = stablehlo.select %p, %0, %1 : tensor<6xi1>, tensor<6x$>\n"},
    {"broadcast_in_dim",
     As::kStored,
     {{3, 1}},
     {2, 3, 4},
     "  %r = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x1x$>) -> tensor<2x3x4x$>\n"},
    {"dynamic_broadcast_in_dim",
     As::kStored,
     {{3, 1}},
     {2, 3, 4},
     "  %n = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>\n"
     "  %r = stablehlo.dynamic_broadcast_in_dim %0, %n, dims = [1, 2] : (tensor<3x1x$>, "
     "tensor<3xi64>) -> tensor<2x3x4x$>\n"},
    {"concatenate",
     As::kStored,
     {{2}, {3}},
     {5},
     "  %r = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x$>, tensor<3x$>) -> tensor<5x$>\n"},
    {"dynamic_slice",
     As::kStored,
     {{5}},
     {2},
     "  %i = stablehlo.constant dense<2> : tensor<i64>\n"
     "  %r = stablehlo.dynamic_slice %0, %i, sizes = [2] : (tensor<5x$>, tensor<i64>) -> "
     "tensor<2x$>\n"},
    {"dynamic_update_slice",
     As::kStored,
     {{5}, {2}},
     {5},
     "  %i = stablehlo.constant dense<2> : tensor<i64>\n"
     "  %r = stablehlo.dynamic_update_slice %0, %1, %i : (tensor<5x$>, tensor<2x$>, tensor<i64>) "
     "-> "
     "tensor<5x$>\n"},
    {"gather",
     As::kStored,
     {{5, 2}},
     {3, 2},
     "  %i = stablehlo.constant dense<[4, 0, 2]> : tensor<3xi64>\n"
     "  %r = \"stablehlo.gather\"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
     "[1], "
     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
     "array<i64: 1, 2>}> : (tensor<5x2x$>, tensor<3xi64>) -> tensor<3x2x$>\n"},
    {"pad",
     As::kStored,
     {{3}, {}},
     {7},
     "  %r = stablehlo.pad %0, %1, low = [1], high = [1], interior = [1] : (tensor<3x$>, "
     "tensor<$>) "
     "-> tensor<7x$>\n"},
    {"dynamic_pad",
     As::kStored,
     {{3}, {}},
     {7},
     "  %one = stablehlo.constant dense<1> : tensor<1xi64>\n"
     "  %r = stablehlo.dynamic_pad %0, %1, %one, %one, %one : (tensor<3x$>, tensor<$>, "
     "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7x$>\n"},
    {"reshape",
     As::kStored,
     {{2, 3}},
     {3, 2},
     "  %r = stablehlo.reshape %0 : (tensor<2x3x$>) -> tensor<3x2x$>\n"},
    {"dynamic_reshape",
     As::kStored,
     {{2, 3}},
     {3, 2},
     "  %n = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
     "  %r = stablehlo.dynamic_reshape %0, %n : (tensor<2x3x$>, tensor<2xi64>) -> tensor<3x2x$>\n"},
    {"reverse", As::kStored, {{5}}, {5}, "  %r = stablehlo.reverse %0, dims = [0] : tensor<5x$>\n"},
    {"slice",
     As::kStored,
     {{5}},
     {2},
     "  %r = stablehlo.slice %0 [1:5:2] : (tensor<5x$>) -> tensor<2x$>\n"},
    {"real_dynamic_slice",
     As::kStored,
     {{5}},
     {2},
     "  %b = stablehlo.constant dense<1> : tensor<1xi64>\n"
     "  %e = stablehlo.constant dense<5> : tensor<1xi64>\n"
     "  %s = stablehlo.constant dense<2> : tensor<1xi64>\n"
     "  %r = stablehlo.real_dynamic_slice %0, %b, %e, %s : (tensor<5x$>, tensor<1xi64>, "
     "tensor<1xi64>, tensor<1xi64>) -> tensor<2x$>\n"},
    {"transpose",
     As::kStored,
     {{2, 3}},
     {3, 2},
     "  %r = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3x$>) -> tensor<3x2x$>\n"},
    {"optimization_barrier",
     As::kStored,
     {{5}},
     {5},
     "  %r = stablehlo.optimization_barrier %0 : tensor<5x$>\n"},
    {"tuple",
     As::kStored,
     {{5}, {2}},
     {2},
     "  %t = stablehlo.tuple %0, %1 : tuple<tensor<5x$>, tensor<2x$>>\n"
     "  %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<5x$>, tensor<2x$>>) -> "
     "tensor<2x$>\n"},
    {"sort",
     As::kStored,
     {{6}},
     {6},
     "  %r = \"stablehlo.sort\"(%0) <{dimension = 0 : i64, is_stable = true}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.compare GT, %a, %b : (tensor<$>, tensor<$>) -> tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1>\n  }) : (tensor<6x$>) -> tensor<6x$>\n"},
    {"reduce",
     As::kStored,
     {{4, 3}, {}},
     {4},
     "  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : "
     "(tensor<4x3x$>, tensor<$>) -> tensor<4x$>\n"},
    {"reduce_window",
     As::kStored,
     {{5}, {}},
     {3},
     "  %r = \"stablehlo.reduce_window\"(%0, %1) <{window_dimensions = array<i64: 3>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.maximum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<5x$>, tensor<$>) -> tensor<3x$>\n"},
    {"select_and_scatter",
     As::kStored,
     {{6}, {2}, {}},
     {6},
     "  %r = \"stablehlo.select_and_scatter\"(%0, %1, %2) <{window_dimensions = array<i64: 3>, "
     "window_strides = array<i64: 3>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.compare GE, %a, %b : (tensor<$>, tensor<$>) -> tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1>\n  }, {\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.maximum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<6x$>, tensor<2x$>, tensor<$>) -> "
     "tensor<6x$>\n"},
    {"scatter",
     As::kStored,
     {{6}, {3}},
     {6},
     "  %i = stablehlo.constant dense<[[4], [0], [4]]> : tensor<3x1xi64>\n"
     "  %r = \"stablehlo.scatter\"(%0, %i, %1) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.maximum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<6x$>, tensor<3x1xi64>, tensor<3x$>) -> "
     "tensor<6x$>\n"},
    {"map",
     As::kStored,
     {{6}, {6}},
     {6},
     "  %r = \"stablehlo.map\"(%0, %1) <{dimensions = array<i64: 0>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.minimum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<6x$>, tensor<6x$>) -> tensor<6x$>\n"},
    {"if",
     As::kStored,
     {{6}, {6}},
     {6},
     "  %p = stablehlo.constant dense<false> : tensor<i1>\n"
     "  %r = \"stablehlo.if\"(%p) ({\n    stablehlo.return %0 : tensor<6x$>\n  }, {\n"
     "    stablehlo.return %1 : tensor<6x$>\n  }) : (tensor<i1>) -> tensor<6x$>\n"},
    {"case",
     As::kStored,
     {{6}, {6}},
     {6},
     "  %p = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %r = \"stablehlo.case\"(%p) ({\n    stablehlo.return %0 : tensor<6x$>\n  }, {\n"
     "    stablehlo.return %1 : tensor<6x$>\n  }) : (tensor<i32>) -> tensor<6x$>\n"},
    {"while",
     As::kFloats,
     {{6}},
     {6},
     "  %n = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %w:2 = stablehlo.while(%i = %n, %v = %0) : tensor<i32>, tensor<6x$>\n   cond {\n"
     "    %l = stablehlo.constant dense<2> : tensor<i32>\n"
     "    %c = stablehlo.compare LT, %i, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1>\n  } do {\n"
     "    %l = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %m = stablehlo.add %i, %l : tensor<i32>\n"
     "    %y = stablehlo.add %v, %v : tensor<6x$>\n"
     "    stablehlo.return %m, %y : tensor<i32>, tensor<6x$>\n  }\n"
     "  %r = stablehlo.reverse %w#1, dims = [] : tensor<6x$>\n"},
    {"all_gather",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.all_gather\"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : "
     "tensor<1x1xi64>}> : (tensor<3x$>) -> tensor<3x$>\n"},
    {"all_to_all",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.all_to_all\"(%0) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, "
     "split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<3x$>) -> "
     "tensor<3x$>\n"},
    {"all_reduce",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.all_reduce\"(%0) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.maximum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<3x$>) -> tensor<3x$>\n"},
    {"reduce_scatter",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.reduce_scatter\"(%0) <{scatter_dimension = 0 : i64, replica_groups = "
     "dense<0> : tensor<1x1xi64>}> ({\n"
     "  ^bb0(%a: tensor<$>, %b: tensor<$>):\n"
     "    %c = stablehlo.maximum %a, %b : tensor<$>\n"
     "    stablehlo.return %c : tensor<$>\n  }) : (tensor<3x$>) -> tensor<3x$>\n"},
    {"collective_broadcast",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.collective_broadcast\"(%0) <{replica_groups = dense<0> : "
     "tensor<1x1xi64>}> : (tensor<3x$>) -> tensor<3x$>\n"},
    {"collective_permute",
     As::kStored,
     {{3}},
     {3},
     "  %r = \"stablehlo.collective_permute\"(%0) <{source_target_pairs = dense<0> : "
     "tensor<1x2xi64>}> : (tensor<3x$>) -> tensor<3x$>\n"},
};

TEST_CASE("Operations of the specification on quantized values") {
  for (const PerTensorRow& row : kPerTensorRows) CheckPerTensorRow(row);
}

}  // namespace
}  // namespace sinter
