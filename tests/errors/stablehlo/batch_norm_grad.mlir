func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<2x3xf32>) {
  %r:3 = "stablehlo.batch_norm_grad"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_grad.mlir:2:10: batch-norm-grad: (C1) feature_index=2 is not a dimension of the operand; operands f32[2,3], f32[3], f32[3], f32[3], f32[2,3]; result (f32[2,3], f32[3], f32[3])
// EXPECT:   %r:3 = "stablehlo.batch_norm_grad"(%x, %a0, %a1, %a2, %a3) {epsilon...
// EXPECT:          ^
