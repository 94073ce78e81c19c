func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT gather.mlir:2:8: gather: (C22) the result must be f32[3,5]; operands f32[4,5], s32[3,1]; result f32[3,4]
// EXPECT:   %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.g...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf64>
  return
}
// EXPECT: INVALID_ARGUMENT gather.mlir:2:8: gather: (C23) the result must be f32[3,5]; operands f32[4,5], s32[3,1]; result f64[3,5]
// EXPECT:   %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.g...
// EXPECT:        ^
