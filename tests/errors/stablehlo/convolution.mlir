func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<3x2xi64>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C4) padding must have 4 elements, it has 6
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<4x1xi64>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C4) padding must have two numbers a dimension, it is tensor<4x1xi64>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C5) lhs_dilation must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C7) rhs_dilation must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: true>} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C9) window_reversal must have 2 elements, it has 1
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: convolution: (C13) the dimension numbers {1,2,1,3} of the left operand must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: convolution: (C18) the dimension numbers {0,1,1,3} of the right operand must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 1, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: convolution: (C20) the dimension numbers {1,2,1,3} of the result must be different dimensions of 4; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,2,4]
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C24) precision_config has 3 entries for 2 operands
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x3x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: convolution: (C25) the result must be f32[1,2,2,4]; operands f32[1,4,4,2], f32[3,3,2,4]; result f32[1,2,3,4]
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C26) the result must have rank 4, not 3
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C28) the left operand is quantized where the right one and the result are: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4xf32> give tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5, 0.5}>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32:2, {0.5, 0.5}>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C29) scales of the kernel run along dimension 2, its output features 3
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32:1, {0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C30) scales of the result run along dimension 1, its features 3
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C31) the operands must store the same integers: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x4x!quant.uniform<i8:bf16, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C32) operands and result must express the same floats: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:bf16, 0.5>>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, %k: tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x4x!quant.uniform<i8:f32:3, {0.5, 0.5, 0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C33) the result must have one scale where the right operand has: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5>> and tensor<3x3x2x4x!quant.uniform<i8:f32, 0.5>> give tensor<1x2x2x4x!quant.uniform<i8:f32:3, {0.5,0.5,0.5,0.5}>>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C34) the left operand and the result must be of the floats that the right one expresses: tensor<1x4x4x2xf32> and tensor<3x3x2x4x!quant.uniform<i8:bf16, 0.5>> give tensor<1x2x2x4xf32>
// EXPECT:   %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stable...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>) {
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1, 1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x4x4x1xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:8: stablehlo.convolution: (C4) padding must have two numbers a dimension, it has 4
// EXPECT:   %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0,...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x4xf32>) {
  %r = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT convolution.mlir:2:76: expected dimension numbers such as [b, 0, f]x[0, i, o]->[b, 0, f]
// EXPECT: ...lo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv, feature_group_count = 1 : i64, batch_group_count = 1 : i64...
// EXPECT:                                                                ^
