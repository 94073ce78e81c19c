func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT uniform_dequantize.mlir:2:8: stablehlo.uniform_dequantize: (C1) the operand is tensor<4x!quant.uniform<i8:f32, 0.5>>, the result tensor<5xf32>
// EXPECT:   %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.unifor...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xbf16>
  return
}
// EXPECT: INVALID_ARGUMENT uniform_dequantize.mlir:2:8: stablehlo.uniform_dequantize: (C2) the operand expresses f32, the result is of bf16
// EXPECT:   %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.unifor...
// EXPECT:        ^
