func.func @main(%x: tensor<2x3xf32>) {
  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT transpose.mlir:2:8: transpose: (C1) the result must be f32[3,2]; operands f32[2,3]; result f64[3,2]
// EXPECT:   %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) ->...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>) {
  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT transpose.mlir:2:8: transpose: (C3) the result must be f32[3,2]; operands f32[2,3]; result f32[2,3]
// EXPECT:   %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) ->...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT transpose.mlir:2:8: stablehlo.transpose: (C4) an operand of tensor<2x3xi8> and the result differ in what their elements stand for
// EXPECT:   %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.u...
// EXPECT:        ^
