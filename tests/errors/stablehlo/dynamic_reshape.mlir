func.func @main(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_reshape.mlir:3:8: stablehlo.dynamic_reshape: (C1) the result must have the operand's element type; operands f32[4]; result f64[2,2]
// EXPECT:   %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2x...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_reshape.mlir:3:8: stablehlo.dynamic_reshape: (C2) the result must have the operand's number of elements: 6 is not 4; operands f32[4]; result f32[2,3]
// EXPECT:   %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2x...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %s = stablehlo.constant dense<[4]> : tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<1xi32>) -> tensor<4x!quant.uniform<i8:f32:0, {0.5, 0.5, 0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_reshape.mlir:3:8: stablehlo.dynamic_reshape: (C3) an operand of tensor<2x2xi8> and the result differ in what their elements stand for
// EXPECT:   %r = stablehlo.dynamic_reshape %x, %s : (tensor<2x2x!quant.unifor...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_reshape.mlir:3:8: stablehlo.dynamic_reshape: (C4) output_shape is tensor<2xi32>, the result has 1 dimensions
// EXPECT:   %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2x...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_reshape.mlir:3:8: stablehlo.dynamic_reshape: (C4) size 0 is 2, the result is tensor<4x1xf32>
// EXPECT:   %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2x...
// EXPECT:        ^
