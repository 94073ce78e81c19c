func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_training.mlir:2:10: batch-norm-training: (C1) feature_index=2 is not a dimension of the operand; operands f32[2,3], f32[3], f32[3]; result (f32[2,3], f32[3], f32[3])
// EXPECT:   %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0...
// EXPECT:          ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_training.mlir:2:10: batch-norm-training: (C5) element 1 of the result must have the dimensions {3}; operands f32[2,3], f32[3], f32[3]; result (f32[2,3], f32[2], f32[3])
// EXPECT:   %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0...
// EXPECT:          ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_training.mlir:2:10: batch-norm-training: (C6) element 2 of the result must have the dimensions {3}; operands f32[2,3], f32[3], f32[3]; result (f32[2,3], f32[3], f32[2])
// EXPECT:   %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0...
// EXPECT:          ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_training.mlir:2:10: batch-norm-training: (C7) element 0 of the result must have the dimensions {2,3}; operands f32[2,3], f32[3], f32[3]; result (f32[3,3], f32[3], f32[3])
// EXPECT:   %r:3 = "stablehlo.batch_norm_training"(%x, %a0, %a1) {epsilon = 0.0...
// EXPECT:          ^
