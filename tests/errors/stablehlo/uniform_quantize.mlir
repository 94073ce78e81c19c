func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT uniform_quantize.mlir:2:8: stablehlo.uniform_quantize: (C1) the operand is tensor<4xf32>, the result tensor<5x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:bf16, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT uniform_quantize.mlir:2:8: stablehlo.uniform_quantize: (C2) the operand is of f32, the result expresses bf16
// EXPECT:   %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor...
// EXPECT:        ^
