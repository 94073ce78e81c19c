func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %r = stablehlo.reshape %x : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<4x!quant.uniform<i8:f32:0, {0.5, 0.5, 0.25, 0.25}>>
  return
}
// EXPECT: INVALID_ARGUMENT reshape.mlir:2:8: stablehlo.reshape: (C3) an operand of tensor<2x2xi8> and the result differ in what their elements stand for
// EXPECT:   %r = stablehlo.reshape %x : (tensor<2x2x!quant.uniform<i8:f32:0, ...
// EXPECT:        ^
