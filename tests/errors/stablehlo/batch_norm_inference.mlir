func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C1) feature_index=2 is not a dimension of the operand; operands f32[2,3], f32[3], f32[3], f32[3], f32[3]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf64>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C2) operand 1 must have the element type of operand 0; operands f32[2,3], f64[3], f32[3], f32[3], f32[3]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<2xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C3) operand 1 must be a vector with an element for each of 3 features; operands f32[2,3], f32[2], f32[3], f32[3], f32[3]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<2xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C4) operand 2 must be a vector with an element for each of 3 features; operands f32[2,3], f32[3], f32[2], f32[3], f32[3]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<2xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C5) operand 3 must be a vector with an element for each of 3 features; operands f32[2,3], f32[3], f32[3], f32[2], f32[3]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<2xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C6) operand 4 must be a vector with an element for each of 3 features; operands f32[2,3], f32[3], f32[3], f32[3], f32[2]; result f32[2,3]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %a0: tensor<3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT batch_norm_inference.mlir:2:8: batch-norm-inference: (C7) the result must be f32[2,3]; operands f32[2,3], f32[3], f32[3], f32[3], f32[3]; result f32[2,4]
// EXPECT:   %r = "stablehlo.batch_norm_inference"(%x, %a0, %a1, %a2, %a3) {ep...
// EXPECT:        ^
