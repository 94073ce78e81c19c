func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.is_finite"(%x) : (tensor<4xf32>) -> tensor<5xi1>
  return
}
// EXPECT: INVALID_ARGUMENT is_finite.mlir:2:8: is-finite: (C1) the result must be pred[4]; operands f32[4]; result pred[5]
// EXPECT:   %r = "stablehlo.is_finite"(%x) : (tensor<4xf32>) -> tensor<5xi1>
// EXPECT:        ^
