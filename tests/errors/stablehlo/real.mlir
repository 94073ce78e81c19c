func.func @main(%x: tensor<4xcomplex<f32>>) {
  %r = "stablehlo.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT real.mlir:2:8: real: (C1) the result must be f32[4]; operands c64[4]; result f32[5]
// EXPECT:   %r = "stablehlo.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<5x...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  %r = "stablehlo.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT real.mlir:2:8: real: (C2) the result must be f32[4]; operands c64[4]; result f64[4]
// EXPECT:   %r = "stablehlo.real"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4x...
// EXPECT:        ^
