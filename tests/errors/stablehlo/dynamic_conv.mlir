func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C1) the operands must have the same rank, at least 2; operands f32[1,4,4,2], f32[3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C2) window_strides must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 0, 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C3) the stride 0 of spatial dimension 0 must be positive; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<3x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<3x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C4) the padding must have 4 elements, it is tensor<3x2xi64>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C5) lhs_dilation must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 0, 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C6) the base dilation 0 of spatial dimension 0 must be positive; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C7) rhs_dilation must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 0, 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C8) the window dilation 0 of spatial dimension 0 must be positive; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: true>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C9) window_reversal must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C10) the batch of 1 is no multiple of batch_group_count=2; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x3xf32>, %k: tensor<3x3x1x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x3xf32>, tensor<3x3x1x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C11) the 3 input features are no multiple of feature_group_count=2; operands f32[1,4,4,3], f32[3,3,1,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C12) needs 2 spatial dimensions of the left operand, got 1; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C13) the dimension numbers {1,2,1,3} of the left operand must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x1x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x1x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C14) the kernel takes 1 input features, a group of the left operand has 2; operands f32[1,4,4,2], f32[3,3,1,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x4x4x2xf32>, %k: tensor<3x3x2x3xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x4x4x2xf32>, tensor<3x3x2x3xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C15) the 3 output features are no multiple of batch_group_count=2; operands f32[2,4,4,2], f32[3,3,2,3]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x1x3xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x1x3xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C16) the 3 output features are no multiple of feature_group_count=2; operands f32[1,4,4,2], f32[3,3,1,3]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<1x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C17) needs 2 spatial dimensions of the right operand, got 1; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C18) the dimension numbers {0,1,1,3} of the right operand must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C19) needs 2 spatial dimensions of the result, got 1; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 1, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C20) the dimension numbers {1,2,1,3} of the result must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C21) feature_group_count=0 must be positive; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C22) batch_group_count=0 must be positive; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x4x4x4xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<2x4x4x4xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C23) feature_group_count=2 or batch_group_count=2 must be 1; operands f32[2,4,4,4], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C24) precision_config has 3 entries for 2 operands
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x3x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C25) the result must be f32[1,2,2,4]; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,3,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C26) the result must have rank 4, not 3
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf64>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf64>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C27) the operands must have the same element type; operands f32[1,4,4,2], f64[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4xf32>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C28) the left operand is quantized where the right one and the result are: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4xf32> give tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5, 0.5}>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5, 0.5}>>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C29) scales of the kernel run along dimension 2, its output features 3
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:f32:1, {0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C30) scales of the result run along dimension 1, its features 3
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C31) the operands must store the same integers: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:bf16, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C32) operands and result must express the same floats: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:bf16, 0.5>>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x2xi64>) -> tensor<1x2x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C33) the result must have one scale where the right operand has: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:f32:3, {0.5,0.5,0.5,0.5}>>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>>) {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>>, tensor<2x2xi64>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_conv.mlir:3:8: stablehlo.dynamic_conv: (C34) the left operand and the result must be of the floats that the right one expresses: tensor<1x4x4x2xf32> and tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>> give tensor<1x2x2x4xf32>
// EXPECT:   %r = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #s...
// EXPECT:        ^
