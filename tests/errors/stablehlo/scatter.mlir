func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT scatter.mlir:2:8: scatter: (C24) the result must be f32[4]; operands f32[4], s32[2,1], f32[2]; result f32[5]
// EXPECT:   %r = "stablehlo.scatter"(%x, %i, %u) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT scatter.mlir:2:8: scatter: (C25) the result must be f32[4]; operands f32[4], s32[2,1], f32[2]; result f64[4]
// EXPECT:   %r = "stablehlo.scatter"(%x, %i, %u) ({
// EXPECT:        ^
