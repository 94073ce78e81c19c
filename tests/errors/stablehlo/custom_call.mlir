func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", api_version = 4 : i32, backend_config = "x"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: stablehlo.custom_call: the backend_config of api_version 4 must be a dictionary
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", api_ver...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", api_version = 2 : i32, backend_config = {x = 1 : i32}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: stablehlo.custom_call: the backend_config of api_version 2 must be a string
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", api_ver...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: stablehlo.custom_call: either both operand_layouts and result_layouts are there or none is
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", operand...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: custom-call: an alias of operand 1 of 1; operands f32[4]; result f32[4]
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: custom-call: an alias of a part that operand 0 or the result has not; operands f32[4]; result f32[4]
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT custom_call.mlir:2:8: custom-call: an alias of operand 0, f32[4], and of a result f32[5]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.custom_call"(%x) {call_target_name = "f", output_...
// EXPECT:        ^
