func.func @main(%x: tensor<2x2xf32>) {
  %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2xf32>) -> tensor<2x2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT cholesky.mlir:2:8: cholesky: (C1) the result must be f32[2,2]; operands f32[2,2]; result f64[2,2]
// EXPECT:   %r = "stablehlo.cholesky"(%x) {lower = true} : (tensor<2x2xf32>) ...
// EXPECT:        ^
