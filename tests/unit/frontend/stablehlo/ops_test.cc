// Each operation in its pretty and in its generic form gives the same graph.
#include "frontend/stablehlo_text/printer.h"
#include "helpers.h"

namespace sinter {
namespace {

struct Forms {
  const char* op;      // in HLO text, of the result
  const char* result;  // its shape
  const char* args;    // of the function
  const char* pretty;
  const char* generic;
};

// %0 is what is returned.
std::string FormsProgram(const Forms& f, const char* body, const std::string& type) {
  return Format("func.func @main({}) -> {} {{\n  {}\n  return %0 : {}\n}}\n", f.args, type, body,
                type);
}

// The type of results is given by the last type of the generic form.
std::string ResultType(const std::string& generic) {
  return generic.substr(generic.rfind("-> ") + 3);
}

const Forms kForms[] = {
    {"gather", "f32[4,6]", "%a: tensor<5x6xf32>, %b: tensor<4x1xi32>",
     "%0 = \"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
     "array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>",
     "%c = stablehlo.constant dense<[1, 6]> : tensor<2xi64>\n"
     "%0 = \"stablehlo.dynamic_gather\"(%a, %b, %c) {dimension_numbers = "
     "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
     "index_vector_dim = 1>, indices_are_sorted = false} : (tensor<5x6xf32>, tensor<4x1xi32>, "
     "tensor<2xi64>) -> tensor<4x6xf32>"},
    {"gather", "f32[5,2,3,7]", "%a: tensor<5x6x7xf32>, %b: tensor<5x2x3xi32>",
     "%0 = \"stablehlo.torch_index_select\"(%a, %b) {dim = 1 : i64, batch_dims = 1 : i64} : "
     "(tensor<5x6x7xf32>, tensor<5x2x3xi32>) -> tensor<5x2x3x7xf32>",
     "%0 = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [3], "
     "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
     "start_index_map = [1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 7>} : "
     "(tensor<5x6x7xf32>, tensor<5x2x3xi32>) -> tensor<5x2x3x7xf32>"},
    {"scatter", "f32[5,6]", "%a: tensor<5x6xf32>, %b: tensor<4xi32>, %c: tensor<4x6xf32>",
     "%0 = \"stablehlo.scatter\"(%a, %b, %c) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.add %x, %y : tensor<f32>\n  "
     "stablehlo.return %s : tensor<f32>\n}) : (tensor<5x6xf32>, tensor<4xi32>, tensor<4x6xf32>) -> "
     "tensor<5x6xf32>",
     "%0 = \"stablehlo.scatter\"(%a, %b, %c) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = "
     "\"stablehlo.add\"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  "
     "\"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n}) {indices_are_sorted = false, "
     "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
     "unique_indices = true} : (tensor<5x6xf32>, tensor<4xi32>, tensor<4x6xf32>) -> "
     "tensor<5x6xf32>"},
    {"ragged-dot", "f32[6,5]", "%a: tensor<6x4xf32>, %b: tensor<3x4x5xf32>, %c: tensor<3xi32>",
     "%0 = \"chlo.ragged_dot\"(%a, %b, %c) <{precision_config = [#chlo<precision DEFAULT>, "
     "#chlo<precision DEFAULT>], ragged_dot_dimension_numbers = "
     "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
     "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x4xf32>, "
     "tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>",
     "%0 = \"chlo.ragged_dot\"(%a, %b, %c) {ragged_dot_dimension_numbers = "
     "#chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
     "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = "
     "[0], rhs_group_dimensions = [0]>} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> "
     "tensor<6x5xf32>"},
    {"scan", "f32[3]", "%a: tensor<5x3xf32>, %b: tensor<3xf32>",
     "%0 = chlo.scan(%a) inits (%b) dimension=0  attributes {is_reverse = true, scan_dim_size = 5 "
     ": i64} {\n^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):\n  %s = stablehlo.add %x, %c : "
     "tensor<3xf32>\n  stablehlo.return %s : tensor<3xf32>\n} : (tensor<5x3xf32>, tensor<3xf32>) "
     "-> tensor<3xf32>",
     "%0 = \"chlo.scan\"(%a, %b) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = "
     "array<i32: 1, 1>, resultSegmentSizes = array<i32: 0, 1>}> ({\n^bb0(%x: tensor<3xf32>, %c: "
     "tensor<3xf32>):\n  %s = stablehlo.add %x, %c : tensor<3xf32>\n  stablehlo.return %s : "
     "tensor<3xf32>\n}) : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<3xf32>"},
    {"sort", "f32[5,6]", "%a: tensor<5x6xf32>",
     "%0 = \"stablehlo.sort\"(%a) <{dimension = 1 : i64}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.compare LT, %x, %y : "
     "(tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %s : tensor<i1>\n}) : "
     "(tensor<5x6xf32>) -> tensor<5x6xf32>",
     "%0 = \"stablehlo.sort\"(%a) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = "
     "stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  "
     "stablehlo.return %s : tensor<i1>\n}) {dimension = -1 : i64, is_stable = false} : "
     "(tensor<5x6xf32>) -> tensor<5x6xf32>"},
    {"abs", "f32[2]", "%a: tensor<2xcomplex<f32>>",
     "%0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
     "%0 = \"stablehlo.abs\"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>"},
    {"add", "f32[2]", "%a: tensor<2xf32>", "%0 = stablehlo.add %a, %a : tensor<2xf32>",
     "%0 = \"stablehlo.add\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"},
    {"tanh", "bf16[2]", "%a: tensor<2xbf16>", "%0 = stablehlo.tanh %a {x.y = 1} : tensor<2xbf16>",
     "%0 = \"stablehlo.tanh\"(%a) : (tensor<2xbf16>) -> tensor<2xbf16>"},
    {"convert", "u8[2]", "%a: tensor<2xi1>",
     "%0 = stablehlo.convert %a : (tensor<2xi1>) -> tensor<2xui8>",
     "%0 = \"stablehlo.convert\"(%a) : (tensor<2xi1>) -> tensor<2xui8>"},
    {"convert", "s32[2]", "%a: tensor<2xi32>", "%0 = stablehlo.convert %a : tensor<2xi32>",
     "%0 = \"stablehlo.convert\"(%a) : (tensor<2xi32>) -> tensor<2xi32>"},
    {"bitcast-convert", "u8[2,4]", "%a: tensor<2xf32>",
     "%0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xui8>",
     "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<2xf32>) -> tensor<2x4xui8>"},
    {"compare", "pred[2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xi1>",
     "%0 = \"stablehlo.compare\"(%a, %a) <{compare_type = #stablehlo<comparison_type TOTALORDER>, "
     "comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xf32>, "
     "tensor<2xf32>) -> tensor<2xi1>"},
    {"complex", "c64[]", "%a: tensor<f32>", "%0 = stablehlo.complex %a, %a : tensor<complex<f32>>",
     "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<complex<f32>>"},
    {"is-finite", "pred[2]", "%a: tensor<2xf64>",
     "%0 = stablehlo.is_finite %a : (tensor<2xf64>) -> tensor<2xi1>",
     "%0 = \"stablehlo.is_finite\"(%a) : (tensor<2xf64>) -> tensor<2xi1>"},
    {"select", "f32[2]", "%p: tensor<2xi1>, %a: tensor<2xf32>",
     "%0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2xf32>",
     "%0 = \"stablehlo.select\"(%p, %a, %a) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xf32>"},
    {"clamp", "f32[2]", "%a: tensor<2xf32>, %s: tensor<f32>",
     "%0 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
     "%0 = \"stablehlo.clamp\"(%s, %a, %s) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
     "tensor<2xf32>"},
    {"reduce-precision", "f32[2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>",
     "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>"
     " : (tensor<2xf32>) -> tensor<2xf32>"},
    {"broadcast", "f32[3,2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>",
     "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64: 1>}> : "
     "(tensor<2xf32>) -> tensor<3x2xf32>"},
    {"broadcast", "f32[3,2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.broadcast %a, sizes = [3] : (tensor<2xf32>) -> tensor<3x2xf32>",
     "%0 = \"stablehlo.broadcast\"(%a) {broadcast_sizes = dense<3> : tensor<1xi64>} : "
     "(tensor<2xf32>) -> tensor<3x2xf32>"},
    {"iota", "s32[2,3]", "", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
     "%0 = \"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>"},
    {"reshape", "f32[4]", "%a: tensor<2x2xf32>",
     "%0 = stablehlo.reshape %a : (tensor<2x2xf32>) -> tensor<4xf32>",
     "%0 = \"stablehlo.reshape\"(%a) : (tensor<2x2xf32>) -> tensor<4xf32>"},
    {"transpose", "f32[3,2]", "%a: tensor<2x3xf32>",
     "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
     "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> "
     "tensor<3x2xf32>"},
    {"reverse", "f32[2,3]", "%a: tensor<2x3xf32>",
     "%0 = stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>",
     "%0 = \"stablehlo.reverse\"(%a) {dimensions = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>) "
     "-> tensor<2x3xf32>"},
    {"slice", "f32[1,2]", "%a: tensor<2x5xf32>",
     "%0 = stablehlo.slice %a [1:2, 0:4:2] : (tensor<2x5xf32>) -> tensor<1x2xf32>",
     "%0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: "
     "2, 4>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<1x2xf32>"},
    {"pad", "f32[6]", "%a: tensor<3xf32>, %s: tensor<f32>",
     "%0 = stablehlo.pad %a, %s, low = [-1], high = [2], interior = [1] : (tensor<3xf32>, "
     "tensor<f32>) -> tensor<6xf32>",
     "%0 = \"stablehlo.pad\"(%a, %s) <{edge_padding_low = array<i64: -1>, edge_padding_high = "
     "array<i64: 2>, interior_padding = array<i64: 1>}> : (tensor<3xf32>, tensor<f32>) -> "
     "tensor<6xf32>"},
    {"concatenate", "f32[5]", "%a: tensor<2xf32>, %b: tensor<3xf32>",
     "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>",
     "%0 = \"stablehlo.concatenate\"(%a, %b) <{dimension = 0 : i64}> : (tensor<2xf32>, "
     "tensor<3xf32>) -> tensor<5xf32>"},
    {"dynamic-slice", "f32[1,2]", "%a: tensor<2x5xf32>, %i: tensor<i32>",
     "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x5xf32>, tensor<i32>, "
     "tensor<i32>) -> tensor<1x2xf32>",
     "%0 = \"stablehlo.dynamic_slice\"(%a, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : "
     "(tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>"},
    {"dynamic-update-slice", "f32[5]", "%a: tensor<5xf32>, %b: tensor<2xf32>, %i: tensor<i32>",
     "%0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) "
     "-> tensor<5xf32>",
     "%0 = \"stablehlo.dynamic_update_slice\"(%a, %b, %i) : (tensor<5xf32>, tensor<2xf32>, "
     "tensor<i32>) -> tensor<5xf32>"},
    {"dot", "f32[2,4,5]", "%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>",
     "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], "
     "precision = [HIGH, DEFAULT] : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
     "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
     "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = "
     "[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x3xf32>, "
     "tensor<2x3x5xf32>) -> tensor<2x4x5xf32>"},
    {"dot", "f32[2]", "%a: tensor<2x3xf32>, %b: tensor<3xf32>",
     "%0 = stablehlo.dot %a, %b, precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) "
     "-> tensor<2xf32>",
     "%0 = \"stablehlo.dot\"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>"},
    {"dot", "f32[2,2]", "%a: tensor<2x2xf32>",
     "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = "
     "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
     "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
     "allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
     "tensor<2x2xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %a) <{algorithm = #stablehlo.dot_algorithm<"
     "lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
     "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
     "allow_imprecise_accumulation = false>, dot_dimension_numbers = "
     "#stablehlo.dot<lhs_contracting_dimensions "
     "= [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
     "tensor<2x2xf32>"},
    {"reduce", "f32[2]", "%a: tensor<2x3xf32>, %s: tensor<f32>",
     "%0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
     "%0 = \"stablehlo.reduce\"(%a, %s) <{dimensions = array<i64: 1>}> ({\n"
     "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "    %1 = \"stablehlo.add\"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
     "    \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
     "  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"},
    {"reduce", "f32[2]", "%a: tensor<2x3xf32>, %s: tensor<f32>",
     "%0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) "
     "-> tensor<2xf32>\n   reducer(%x: tensor<f32>, %y: tensor<f32>) {\n"
     "    %1 = stablehlo.maximum %x, %y : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }",
     "%0 = \"stablehlo.reduce\"(%a, %s) <{dimensions = array<i64: 1>}> ({\n"
     "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "    %1 = stablehlo.maximum %x, %y : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n"
     "  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"},
    {"get-tuple-element", "f32[]", "%t: tuple<tensor<i32>, tensor<f32>>",
     "%0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>",
     "%0 = \"stablehlo.get_tuple_element\"(%t) <{index = 1 : i32}> : (tuple<tensor<i32>, "
     "tensor<f32>>) -> tensor<f32>"},
    {"tuple", "(s32[], f32[])", "%a: tensor<i32>, %b: tensor<f32>",
     "%0 = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<f32>>",
     "%0 = \"stablehlo.tuple\"(%a, %b) : (tensor<i32>, tensor<f32>) -> tuple<tensor<i32>, "
     "tensor<f32>>"},
    {"after-all", "token[]", "", "%0 = stablehlo.create_token : !stablehlo.token",
     "%0 = \"stablehlo.create_token\"() : () -> !stablehlo.token"},
    {"after-all", "token[]", "%a: !stablehlo.token",
     "%0 = stablehlo.after_all %a, %a : !stablehlo.token",
     "%0 = \"stablehlo.after_all\"(%a, %a) : (!stablehlo.token, !stablehlo.token) -> "
     "!stablehlo.token"},
    {"opt-barrier", "f32[2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.optimization_barrier %a : tensor<2xf32>",
     "%0 = \"stablehlo.optimization_barrier\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"},
    {"custom-call", "f32[2]", "%a: tensor<2xf32>",
     "%0 = stablehlo.custom_call @f(%a) {backend_config = \"x\", has_side_effect = true} : "
     "(tensor<2xf32>) -> tensor<2xf32>",
     "%0 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"f\", backend_config = \"x\", "
     "has_side_effect = true}> : (tensor<2xf32>) -> tensor<2xf32>"},
    {"erf", "f32[2]", "%a: tensor<2xf32>", "%0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>",
     "%0 = \"chlo.erf\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"},
    {"asinh", "c64[2]", "%a: tensor<2xcomplex<f32>>",
     "%0 = chlo.asinh %a : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>",
     "%0 = \"chlo.asinh\"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>"},
    {"call", "bf16[2]", "%a: tensor<2xbf16>",
     "%0 = chlo.lgamma %a : tensor<2xbf16> -> tensor<2xbf16>",
     "%0 = \"chlo.lgamma\"(%a) : (tensor<2xbf16>) -> tensor<2xbf16>"},
    {"call", "f64[3,2]", "%a: tensor<3x1xf64>, %b: tensor<2xf64>",
     "%0 = chlo.broadcast_zeta %a, %b : (tensor<3x1xf64>, tensor<2xf64>) -> tensor<3x2xf64>",
     "%0 = \"chlo.broadcast_zeta\"(%a, %b) <{broadcast_dimensions = array<i64: 1>}> : "
     "(tensor<3x1xf64>, tensor<2xf64>) -> tensor<3x2xf64>"},
    {"subtract", "f32[3,2]", "%a: tensor<3xf32>, %b: tensor<3x2xf32>",
     "%0 = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, "
     "tensor<3x2xf32>) -> tensor<3x2xf32>",
     "%0 = \"chlo.broadcast_subtract\"(%a, %b) <{broadcast_dimensions = array<i64: 0>}> : "
     "(tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>"},
    {"fft", "c64[4,5]", "%a: tensor<4x8xf32>",
     "%0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<4x8xf32>) -> "
     "tensor<4x5xcomplex<f32>>",
     "%0 = \"stablehlo.fft\"(%a) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type "
     "RFFT>}> : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>"},
    {"cholesky", "f32[2,3,3]", "%a: tensor<2x3x3xf32>",
     "%0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>",
     "%0 = \"stablehlo.cholesky\"(%a) <{lower = true}> : (tensor<2x3x3xf32>) -> "
     "tensor<2x3x3xf32>"},
    {"triangular-solve", "f32[3,2]", "%a: tensor<3x3xf32>, %b: tensor<3x2xf32>",
     "%0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = true, lower = false, "
     "transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true} : (tensor<3x3xf32>, "
     "tensor<3x2xf32>) -> tensor<3x2xf32>",
     "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = false, "
     "transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x3xf32>, "
     "tensor<3x2xf32>) -> tensor<3x2xf32>"},
    {"rng", "f32[3]", "%a: tensor<f32>, %b: tensor<f32>, %s: tensor<1xi64>",
     "%0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, "
     "tensor<1xi64>) -> tensor<3xf32>",
     "%0 = \"stablehlo.rng\"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution "
     "NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>"},
    {"multiply", "f32[2]", "%a: tensor<2xf32>",
     "%0 = chlo.square %a : tensor<2xf32> -> tensor<2xf32>",
     "%0 = stablehlo.multiply %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"},
    {"add", "f32[3,2]", "%a: tensor<3x1xf32>, %b: tensor<2xf32>",
     "%0 = chlo.broadcast_add %a, %b : (tensor<3x1xf32>, tensor<2xf32>) -> tensor<3x2xf32>",
     "%0 = \"chlo.broadcast_add\"(%a, %b) : (tensor<3x1xf32>, tensor<2xf32>) -> tensor<3x2xf32>"},
    {"map", "f32[2]", "%a: tensor<2xf32>",
     "%0 = \"stablehlo.map\"(%a) <{dimensions = array<i64: 0>}> ({\n  ^bb0(%x: tensor<f32>):\n"
     "    stablehlo.return %x : tensor<f32>\n  }) : (tensor<2xf32>) -> tensor<2xf32>",
     "%0 = \"stablehlo.map\"(%a) ({\n  ^bb0(%x: tensor<f32>):\n"
     "    \"stablehlo.return\"(%x) : (tensor<f32>) -> ()\n  }) {dimensions = dense<0> : "
     "tensor<1xi64>} : (tensor<2xf32>) -> tensor<2xf32>"},
};

TEST_CASE("Pretty and generic forms are the same graph") {
  for (const Forms& f : kForms) {
    std::string type = ResultType(f.generic);
    auto pretty = Parse(FormsProgram(f, f.pretty, type));
    auto generic = Parse(FormsProgram(f, f.generic, type));
    INFO(f.pretty);
    CHECK(Name(Root(*pretty)->op()) == f.op);
    CHECK(Root(*pretty)->shape().ToString() == f.result);
    CHECK(SameGraph(*pretty->entry(), *generic->entry()));
  }
}

TEST_CASE("Elementwise operations have the names of StableHLO") {
  constexpr std::pair<const char*, HloOpcode> kUnary[] = {
      {"cbrt", HloOpcode::Cbrt},
      {"ceil", HloOpcode::Ceil},
      {"cosine", HloOpcode::Cosine},
      {"exponential", HloOpcode::Exp},
      {"exponential_minus_one", HloOpcode::Expm1},
      {"floor", HloOpcode::Floor},
      {"log", HloOpcode::Log},
      {"log_plus_one", HloOpcode::Log1p},
      {"logistic", HloOpcode::Logistic},
      {"negate", HloOpcode::Negate},
      {"round_nearest_afz", HloOpcode::RoundAfz},
      {"round_nearest_even", HloOpcode::RoundEven},
      {"rsqrt", HloOpcode::Rsqrt},
      {"sign", HloOpcode::Sign},
      {"sine", HloOpcode::Sine},
      {"sqrt", HloOpcode::Sqrt},
      {"tan", HloOpcode::Tan}};
  for (auto [name, op] : kUnary) {
    auto m =
        Parse(Format("func.func @main(%a: tensor<f32>) -> tensor<f32> {{ %0 = stablehlo.{} %a "
                     ": tensor<f32> return %0 : tensor<f32> }}",
                     name));
    CHECK(Root(*m)->op() == op);
  }
  constexpr std::pair<const char*, HloOpcode> kBinary[] = {
      {"and", HloOpcode::And},
      {"divide", HloOpcode::Divide},
      {"maximum", HloOpcode::Maximum},
      {"minimum", HloOpcode::Minimum},
      {"multiply", HloOpcode::Multiply},
      {"or", HloOpcode::Or},
      {"power", HloOpcode::Power},
      {"remainder", HloOpcode::Remainder},
      {"shift_left", HloOpcode::ShiftLeft},
      {"shift_right_arithmetic", HloOpcode::ShiftRightArithmetic},
      {"shift_right_logical", HloOpcode::ShiftRightLogical},
      {"subtract", HloOpcode::Subtract},
      {"xor", HloOpcode::Xor}};
  for (auto [name, op] : kBinary) {
    auto m =
        Parse(Format("func.func @main(%a: tensor<i8>) -> tensor<i8> {{ %0 = stablehlo.{} %a, "
                     "%a : tensor<i8> return %0 : tensor<i8> }}",
                     name));
    CHECK(Root(*m)->op() == op);
  }
}

TEST_CASE("Checks of the check dialect become custom calls") {
  auto m = Parse(
      "func.func @main(%a: tensor<2xf32>) {\n"
      "  check.expect_close %a, %a, max_ulp_difference = 5 : tensor<2xf32>, tensor<2xf32>\n"
      "  check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  check.expect_almost_eq %a, %a : tensor<2xf32>\n  return\n}\n");
  std::vector<std::string> calls;
  for (const auto& i : m->entry()->instructions()) {
    if (i->op() != HloOpcode::CustomCall) continue;
    const auto& a = i->attrs<CustomCallAttrs>();
    calls.push_back(a.custom_call_target + " " + a.opaque);
    CHECK(a.has_side_effect);
  }
  CHECK(calls == std::vector<std::string>{"check.expect_close max_ulp_difference=5",
                                          "check.expect_eq ",
                                          "check.expect_almost_eq tolerance=0.0001"});
}

// The attributes of the only custom call.
CustomCallAttrs CallOf(const HloModule& m) {
  for (const auto& i : m.entry()->instructions()) {
    if (i->op() == HloOpcode::CustomCall) return i->attrs<CustomCallAttrs>();
  }
  FAIL("no custom call");
  return {};
}

TEST_CASE("Predicates are bits of what they are cast to") {
  const std::string join = R"(
  func.func @main(%p: tensor<2x8xi1>) -> tensor<2xi8> {
    %0 = stablehlo.bitcast_convert %p : (tensor<2x8xi1>) -> tensor<2xi8>
    return %0 : tensor<2xi8>
  })";
  Literal p(Shape(ElementType::PRED, {2, 8}));
  for (int64_t k : {0, 2, 15}) p.data<bool>()[static_cast<size_t>(k)] = true;
  CHECK(RunOn(join, {p}).ToString() == "s8[2] {5, -128}");
  const std::string split = R"(
  func.func @main(%x: tensor<2xi8>) -> tensor<2x8xi1> {
    %0 = stablehlo.bitcast_convert %x : (tensor<2xi8>) -> tensor<2x8xi1>
    return %0 : tensor<2x8xi1>
  })";
  CHECK(RunOn(split, {Literal::R1<int8_t>({5, -128})}) == p);
  // There and back, in each width.
  const std::pair<const char*, int> kTypes[] = {
      {"i2", 2}, {"ui4", 4}, {"f8E4M3FN", 8}, {"bf16", 16}, {"f32", 32}, {"i64", 64}, {"f64", 64}};
  for (const auto& [type, bits] : kTypes) {
    const std::string text = Format(R"(
  func.func @main(%p: tensor<3x{0}xi1>) -> tensor<3x{0}xi1> {{
    %0 = stablehlo.bitcast_convert %p : (tensor<3x{0}xi1>) -> tensor<3x{1}>
    %1 = stablehlo.bitcast_convert %0 : (tensor<3x{1}>) -> tensor<3x{0}xi1>
    return %1 : tensor<3x{0}xi1>
  }})",
                                    bits, type);
    Literal q(Shape(ElementType::PRED, {3, bits}));
    for (size_t k = 0; k < q.data<bool>().size(); ++k) q.data<bool>()[k] = k * k % 7 < 3;
    CHECK(RunOn(text, {q}) == q);
  }
}

TEST_CASE("Infinities of types that have none") {
  for (const char* name : {"is_inf", "is_pos_inf", "is_neg_inf"}) {
    const std::string text = Format(R"(
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {{
    %0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf4E2M1FN>
    %1 = chlo.{0} %0 : tensor<3xf4E2M1FN> -> tensor<3xi1>
    %2 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
    %3 = chlo.{0} %2 : tensor<3xf8E4M3FN> -> tensor<3xi1>
    %4 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf8E5M2>
    %5 = chlo.{0} %4 : tensor<3xf8E5M2> -> tensor<3xi1>
    return %1, %3, %5 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
  }})",
                                    name);
    const Literal results = RunOn(text, {Literal::R1<float>({1, -INFINITY, INFINITY})});
    CHECK(results.tuple()[0].ToString() == "pred[3] {false, false, false}");
    CHECK(results.tuple()[1].ToString() == "pred[3] {false, false, false}");
    const std::string_view is = name;
    CHECK(results.tuple()[2].ToString() ==
          Format("pred[3] {{false, {}, {}}}", is != "is_pos_inf", is != "is_neg_inf"));
  }
}

TEST_CASE("Custom calls keep what XLA wants to know of their targets") {
  const std::string call =
      "  %0:2 = stablehlo.custom_call @f(%arg0, %arg1) {api_version = 4 : i32, "
      "backend_config = {uplo = 76 : ui8}, called_computations = [@g, @h], "
      "has_side_effect = true, output_operand_aliases = "
      "[#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, "
      "operand_tuple_indices = []>], operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, "
      "dense<[0]> : tensor<1xindex>], result_layouts = [dense<[0, 1, 2]> : tensor<3xindex>, "
      "dense<[0]> : tensor<1xindex>]} : (tensor<2x5x3xf32>, tensor<4xf32>) -> "
      "(tensor<2x5x3xf32>, tensor<2xi32>)\n";
  auto m = Parse(
      "func.func @main(%arg0: tensor<2x5x3xf32>, %arg1: tensor<4xf32>) -> (tensor<2x5x3xf32>, "
      "tensor<2xi32>) {\n" +
      call +
      "  return %0#0, %0#1 : tensor<2x5x3xf32>, tensor<2xi32>\n}\n"
      "func.func private @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n"
      "func.func private @h(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> }\n");
  const CustomCallAttrs a = CallOf(*m);
  CHECK(a.opaque == "{uplo = 76 : ui8}");
  CHECK(a.api_version == CustomCallApiVersion::kTypedFfi);
  CHECK(a.output_to_operand_aliasing == std::vector<OutputOperandAlias>{{{0}, 0, {}}});
  CHECK(a.layouts.operands == std::vector<Dims>{{1, 2, 0}, {}});
  CHECK(a.layouts.results == std::vector<Dims>{{0, 1, 2}, {}});
  auto printed = PrintStablehlo(*m);
  REQUIRE(printed.ok());
  CHECK(printed->find(call) != std::string::npos);
}

TEST_CASE("A dictionary for a custom call is of the typed interface") {
  auto m = Parse(
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.custom_call @f(%a) {mhlo.backend_config = {n = 4 : i64}} : "
      "(tensor<f32>) -> tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n");
  CHECK(CallOf(*m).api_version == CustomCallApiVersion::kTypedFfi);
}

TEST_CASE("Layouts of a custom call's tuple are those of its elements") {
  auto m = Parse(
      "func.func @main(%a: tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<4xf32>> {\n"
      "  %0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"f\", operand_layouts = "
      "[dense<[1, 0]> "
      ": tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : "
      "tensor<1xindex>]} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<4xf32>>\n"
      "  return %0 : tuple<tensor<2x3xf32>, tensor<4xf32>>\n}\n");
  CHECK(CallOf(*m).layouts.operands == std::vector<Dims>{{}});
  CHECK(CallOf(*m).layouts.results == std::vector<Dims>{{0, 1}, {}});
  auto printed = PrintStablehlo(*m);
  REQUIRE(printed.ok());
  CHECK(printed->find("operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = "
                      "[dense<[0, 1]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>]") !=
        std::string::npos);
}

TEST_CASE("ApproxTopK is a sort and its beginning") {
  auto m = Parse(
      "func.func @main(%a: tensor<5x6xf32>, %i: tensor<5x6xi32>, %x: tensor<f32>, %y: tensor<i32>) "
      "-> (tensor<5x2xf32>, tensor<5x2xi32>) {\n"
      "  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %x, %y) {called_computations = [@gt], "
      "mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64, top_k = 2 : "
      "i64}} : (tensor<5x6xf32>, tensor<5x6xi32>, tensor<f32>, tensor<i32>) -> "
      "(tensor<5x2xf32>, tensor<5x2xi32>)\n"
      "  return %0#0, %0#1 : tensor<5x2xf32>, tensor<5x2xi32>\n}\n"
      "func.func private @gt(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) "
      "-> tensor<i1> {\n"
      "  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  return %0 : tensor<i1>\n}\n");
  const HloInstruction* sort = nullptr;
  int slices = 0;
  for (const auto& i : m->entry()->instructions()) {
    if (i->op() == HloOpcode::Sort) sort = i.get();
    slices += i->op() == HloOpcode::Slice && i->shape().dimensions() == Dims{5, 2};
  }
  CHECK(slices == 2);
  REQUIRE(sort != nullptr);
  CHECK(sort->operands().size() == 2);
  CHECK(sort->attrs<SortAttrs>().dimensions == Dims{1});
  CHECK(sort->called(0)->root()->op() == HloOpcode::Compare);
}

}  // namespace
}  // namespace sinter
